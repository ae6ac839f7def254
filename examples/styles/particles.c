/* Particles as structures with members of several types: a step along three axes, and a flag for the fast ones. */
#include <stdint.h>

enum { AXES = 3 };
struct motion { float speed[AXES]; int16_t mass; };
struct particle { uint8_t flags; float position[AXES]; struct motion motion; };
struct settings { float step; int16_t limit; };

#pragma loadstone default(n = 37)
void particles(int n, struct particle p[n], const struct settings *settings, float weight[n])
{
  for (int i = 0; i < n; i++) {
    float sum = 0.0f;
    for (int a = 0; a < AXES; a++) {
      p[i].position[a] += p[i].motion.speed[a] * settings->step;
      sum += p[i].motion.speed[a];
    }
    weight[i] = sum * p[i].motion.mass;
    p[i].flags = p[i].motion.mass > settings->limit ? 1 : 0;
  }
}
