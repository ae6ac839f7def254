/* A start gate: threads block here until all of them exist, or creation has failed. */
struct gate {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  bool known, passable;
};

static inline void gate_open(struct gate *gate)
{
  pthread_mutex_init(&gate->mutex, NULL);
  pthread_cond_init(&gate->changed, NULL);
  gate->known = gate->passable = false;
}

static inline void gate_close(struct gate *gate)
{
  pthread_cond_destroy(&gate->changed);
  pthread_mutex_destroy(&gate->mutex);
}

/* Blocks until the decision; false: the thread must exit. */
static inline bool gate_passed(struct gate *gate)
{
  pthread_mutex_lock(&gate->mutex);
  while (!gate->known)
    pthread_cond_wait(&gate->changed, &gate->mutex);
  const bool passable = gate->passable;
  pthread_mutex_unlock(&gate->mutex);
  return passable;
}

static inline void gate_decide(struct gate *gate, bool passable)
{
  pthread_mutex_lock(&gate->mutex);
  gate->known = true;
  gate->passable = passable;
  pthread_cond_broadcast(&gate->changed);
  pthread_mutex_unlock(&gate->mutex);
}

/* Runs all threads to completion; runs none and returns false if one cannot be created. */
static inline bool threads_ran(int count, pthread_t *threads, void *(*const *runs)(void *), struct gate *gate,
                               void *state)
{
  int existing = 0;
  while (existing < count && pthread_create(&threads[existing], NULL, runs[existing], state) == 0)
    existing++;
  gate_decide(gate, existing == count);
  for (int k = 0; k < existing; k++)
    pthread_join(threads[k], NULL);
  return existing == count;
}
