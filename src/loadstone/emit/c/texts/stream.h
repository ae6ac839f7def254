struct ~_stream {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int first, count, capacity;
  $ *words;
};

/* False if out of memory. */
static inline bool ~_open(struct ~_stream *stream, int capacity)
{
  pthread_mutex_init(&stream->mutex, NULL);
  pthread_cond_init(&stream->changed, NULL);
  stream->first = stream->count = 0;
  stream->capacity = capacity;
  stream->words = calloc((size_t)capacity, sizeof *stream->words);
  return stream->words != NULL;
}

static inline void ~_close(struct ~_stream *stream)
{
  free(stream->words);
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->mutex);
}

static inline $ ~_get(struct ~_stream *stream)
{
  pthread_mutex_lock(&stream->mutex);
  while (stream->count == 0)
    pthread_cond_wait(&stream->changed, &stream->mutex);
  const $ word = stream->words[stream->first];
  stream->first = stream->first + 1 == stream->capacity ? 0 : stream->first + 1;
  stream->count--;
  pthread_cond_signal(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
  return word;
}

static inline void ~_put(struct ~_stream *stream, $ word)
{
  pthread_mutex_lock(&stream->mutex);
  while (stream->count == stream->capacity)
    pthread_cond_wait(&stream->changed, &stream->mutex);
  const long place = (long)stream->first + stream->count;
  stream->words[place < stream->capacity ? place : place - stream->capacity] = word;
  stream->count++;
  pthread_cond_signal(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
}
