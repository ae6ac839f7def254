/* Streams for programs whose processes run as threads: reading waits while a stream is empty, writing while it is full.
   The vendor's header serves synthesis; its streams do not wait in software. */
#ifndef LOADSTONE_HLS_STREAM_H
#define LOADSTONE_HLS_STREAM_H

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>

#define BOUNDED_STREAMS

namespace hls {

template <typename T, int DEPTH = 0> class stream;

/* A stream whose depth is known at run time, 0 for one without bound. */
template <typename T> class stream<T, 0> {
public:
  explicit stream(std::size_t depth = 0) : depth(depth) {}
  stream(const stream &) = delete;
  stream &operator=(const stream &) = delete;

  void write(const T &value)
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return depth == 0 || values.size() < depth; });
    values.push_back(value);
    changed.notify_all();
  }

@READ@

private:
  const std::size_t depth;
  std::deque<T> values;
  std::mutex mutex;
  std::condition_variable changed;
};

template <typename T, int DEPTH> class stream : public stream<T, 0> {
public:
  stream() : stream<T, 0>(DEPTH) {}
};

} // namespace hls

#endif
