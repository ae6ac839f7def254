#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LOADSTONE_NO_MEMORY = 1, LOADSTONE_DIVISION = 2, LOADSTONE_BINS = 65 };

/* The last access of a cell: its time, 0 if there was none, and its reference. */
struct loadstone_last {
  uint32_t time, use;
};

/* The reuses between two references at one depth. */
struct loadstone_tally {
  uint64_t count, total, largest, longer, bins[LOADSTONE_BINS];
};

static struct loadstone_last *loadstone_cells;
static struct loadstone_tally **loadstone_tallies;
static uint64_t *loadstone_marks;
static uint64_t *loadstone_distances;
static uint32_t *loadstone_tree;
static uint32_t *loadstone_owner;
static uint32_t loadstone_capacity, loadstone_words, loadstone_now, loadstone_live;
static uint64_t loadstone_size, loadstone_cold;
static long long loadstone_date[LOADSTONE_DEPTHS + 1];
static uint32_t loadstone_start[LOADSTONE_DEPTHS + 1];
static sigjmp_buf loadstone_end;
static struct sigaction loadstone_division_before;

static void *loadstone_zeros(void *old, size_t from, size_t to, size_t width)
{
  char *found = realloc(old, to * width);
  if (!found)
    siglongjmp(loadstone_end, LOADSTONE_NO_MEMORY);
  memset(found + from * width, 0, (to - from) * width);
  return found;
}

static void loadstone_grow(uint32_t capacity)
{
  loadstone_marks = loadstone_zeros(loadstone_marks, loadstone_words, capacity / 64, sizeof *loadstone_marks);
  loadstone_tree = loadstone_zeros(loadstone_tree, loadstone_words, capacity / 64, sizeof *loadstone_tree);
  loadstone_owner = loadstone_zeros(loadstone_owner, loadstone_capacity, capacity, sizeof *loadstone_owner);
  loadstone_distances = loadstone_zeros(loadstone_distances, loadstone_capacity, capacity, sizeof *loadstone_distances);
  loadstone_capacity = capacity;
  loadstone_words = capacity / 64;
}

/* The Fenwick tree counts marks by words of 64 times; its node n holds words n - (n & -n) + 1 to n, counted from 1. */
static inline void loadstone_add(uint32_t word, uint32_t change)
{
  for (uint32_t node = word + 1; node <= loadstone_words; node += node & -node)
    loadstone_tree[node - 1] += change;
}

static inline uint32_t loadstone_until(uint32_t time)
{
  const uint32_t word = time / 64;
  uint32_t total = (uint32_t)__builtin_popcountll(loadstone_marks[word] & (~UINT64_C(0) >> (63 - time % 64)));
  for (uint32_t node = word; node > 0; node &= node - 1)
    total += loadstone_tree[node - 1];
  return total;
}

/* The number of marks after a time. */
static inline uint32_t loadstone_after(uint32_t time)
{
  const uint32_t first = time / 64, last = loadstone_now / 64;
  if (last - first > 16)
    return loadstone_live - loadstone_until(time);
  uint32_t total = 0;
  for (uint32_t word = first; word <= last; word++)
    total += (uint32_t)__builtin_popcountll(loadstone_marks[word]);
  return total
      - (uint32_t)__builtin_popcountll(loadstone_marks[first] & (~UINT64_C(0) >> (63 - time % 64)));
}

static inline void loadstone_move(uint32_t from, uint32_t to)
{
  loadstone_marks[to / 64] |= UINT64_C(1) << to % 64;
  if (from)
    loadstone_marks[from / 64] &= ~(UINT64_C(1) << from % 64);
  if (from && from / 64 == to / 64)
    return;
  loadstone_add(to / 64, 1);
  if (from)
    loadstone_add(from / 64, UINT32_MAX);
}

/* Numbers the marks from 1 on, and makes room for three times as many. */
static void loadstone_compact(void)
{
  for (int k = 0; k < LOADSTONE_DEPTHS; k++)
    loadstone_start[k] = loadstone_until(loadstone_start[k] - 1) + 1;
  uint32_t next = 1;
  for (uint32_t word = 0; word < loadstone_words; word++)
    for (uint64_t rest = loadstone_marks[word]; rest; rest &= rest - 1) {
      const uint32_t cell = loadstone_owner[word * 64 + (uint32_t)__builtin_ctzll(rest)];
      loadstone_owner[next] = cell;
      loadstone_cells[cell].time = next++;
    }
  uint64_t wanted = loadstone_capacity;
  while (wanted < UINT64_C(4) * loadstone_live)
    wanted *= 2;
  if (wanted > UINT32_MAX / 2)
    siglongjmp(loadstone_end, LOADSTONE_NO_MEMORY);
  if (wanted > loadstone_capacity)
    loadstone_grow((uint32_t)wanted);
  loadstone_now = next;
  memset(loadstone_marks, 0, loadstone_words * sizeof *loadstone_marks);
  memset(loadstone_tree, 0, loadstone_words * sizeof *loadstone_tree);
  for (uint32_t time = 1; time < next; time++)
    loadstone_move(0, time);
}

static __attribute__((noinline)) void loadstone_enter(const long long *date)
{
  int k = 0;
  while (k < LOADSTONE_DEPTHS && loadstone_start[k] && loadstone_date[k] == date[k])
    k++;
  for (; k < LOADSTONE_DEPTHS; k++) {
    loadstone_date[k] = date[k];
    loadstone_start[k] = loadstone_now;
  }
}

static inline void loadstone_count(uint32_t time, uint32_t use, uint32_t reuse)
{
  const uint64_t distance = loadstone_after(time);
  int depth = 0;
  while (depth < LOADSTONE_DEPTHS && loadstone_start[depth] <= time)
    depth++;
  struct loadstone_tally **place = &loadstone_tallies[(size_t)use * LOADSTONE_REFERENCES + reuse];
  if (!*place)
    *place = loadstone_zeros(NULL, 0, LOADSTONE_DEPTHS + 1, sizeof **place);
  struct loadstone_tally *tally = *place + depth;
  tally->count++;
  tally->total += distance;
  tally->largest = distance > tally->largest ? distance : tally->largest;
  tally->longer += distance >= loadstone_size;
  tally->bins[distance ? 64 - __builtin_clzll(distance) : 0]++;
  loadstone_distances[distance]++;
}

static __attribute__((noinline)) void loadstone_touch(uint64_t cell, uint32_t reference)
{
  if (loadstone_now == loadstone_capacity)
    loadstone_compact();
  struct loadstone_last *last = &loadstone_cells[cell];
  if (last->time) {
    loadstone_count(last->time, last->use, reference);
  } else {
    loadstone_cold++;
    loadstone_live++;
  }
  loadstone_move(last->time, loadstone_now);
  loadstone_owner[loadstone_now] = (uint32_t)cell;
  last->time = loadstone_now++;
  last->use = reference;
}

static void loadstone_on_division(int signal)
{
  (void)signal;
  siglongjmp(loadstone_end, LOADSTONE_DIVISION);
}

static void loadstone_open(uint64_t size)
{
  const struct sigaction stop = {.sa_handler = loadstone_on_division};
  sigaction(SIGFPE, &stop, &loadstone_division_before);
  loadstone_cells = calloc(LOADSTONE_CELLS + 1, sizeof *loadstone_cells);
  loadstone_tallies = calloc((size_t)LOADSTONE_REFERENCES * LOADSTONE_REFERENCES + 1, sizeof *loadstone_tallies);
  if (!loadstone_cells || !loadstone_tallies)
    siglongjmp(loadstone_end, LOADSTONE_NO_MEMORY);
  loadstone_size = size;
  loadstone_now = 1;
  loadstone_grow(1 << 12);
}

typedef void loadstone_distance_report(uint64_t distance, uint64_t count);
typedef void loadstone_tally_report(uint32_t use, uint32_t reuse, int depth, const uint64_t *numbers);

static void loadstone_report(loadstone_distance_report *on_distance, loadstone_tally_report *on_tally)
{
  for (uint32_t distance = 0; distance < loadstone_capacity; distance++)
    if (loadstone_distances[distance])
      on_distance(distance, loadstone_distances[distance]);
  for (uint32_t use = 0; use < LOADSTONE_REFERENCES; use++)
    for (uint32_t reuse = 0; reuse < LOADSTONE_REFERENCES; reuse++)
      for (int depth = 0; depth <= LOADSTONE_DEPTHS; depth++) {
        const struct loadstone_tally *tally = loadstone_tallies[(size_t)use * LOADSTONE_REFERENCES + reuse];
        if (tally && tally[depth].count)
          on_tally(use, reuse, depth, &tally[depth].count);
      }
}

static void loadstone_close(void)
{
  sigaction(SIGFPE, &loadstone_division_before, NULL);
  for (size_t k = 0; loadstone_tallies && k < (size_t)LOADSTONE_REFERENCES * LOADSTONE_REFERENCES; k++)
    free(loadstone_tallies[k]);
  free(loadstone_tallies);
  free(loadstone_cells);
  free(loadstone_marks);
  free(loadstone_tree);
  free(loadstone_owner);
  free(loadstone_distances);
}
