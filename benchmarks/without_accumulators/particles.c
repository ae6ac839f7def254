#include <stdint.h>

enum { AXES = 3 };
struct motion { float speed[AXES]; int16_t mass; };
struct particle { uint8_t flags; float position[AXES]; struct motion motion; };
struct settings { float step; int16_t limit; };

#pragma loadstone default(n = 37)
void particles(int n, struct particle p[n], const struct settings *settings, float weight[n])
{
  for (int i = 0; i < n; i++) {
    weight[i] = 0.0f;
    for (int a = 0; a < AXES; a++) {
      p[i].position[a] += p[i].motion.speed[a] * settings->step;
      weight[i] += p[i].motion.speed[a];
    }
    weight[i] = weight[i] * p[i].motion.mass;
    p[i].flags = p[i].motion.mass > settings->limit ? 1 : 0;
  }
}
