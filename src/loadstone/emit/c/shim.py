"""Headers that stand in for the vendors' where generated HLS C++ runs on a computer, its processes as threads."""

from __future__ import annotations

_READ = """\
  T read()
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return !values.empty(); });
    const T value = values.front();
    values.pop_front();
    changed.notify_all();
    return value;
  }
"""

HLS_STREAM_H = """\
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
""".replace("@READ@\n", _READ)

HLS_H = """\
/* What the generated component uses of Intel's HLS/hls.h, for programs whose tasks run as threads. */
#ifndef LOADSTONE_HLS_H
#define LOADSTONE_HLS_H

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#define component

/* Tokens order memory accesses of threads already. */
inline void ihc_fence() {}

namespace ihc {

template <int N> struct buffer {
  static constexpr std::size_t depth = N;
};
template <int N> struct aspace {};
template <int N> struct dwidth {};
template <int N> struct latency {};
template <int N> struct maxburst {};
template <int N> struct waitrequest {};

/* A stream: reading waits while it is empty, writing while it is full. */
template <typename T, typename BUFFER> class stream {
public:
  void write(const T &value)
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return values.size() < BUFFER::depth; });
    values.push_back(value);
    changed.notify_all();
  }

@READ@

private:
  std::deque<T> values;
  std::mutex mutex;
  std::condition_variable changed;
};

/* A memory outside of the component. */
template <typename T, typename... OPTIONS> class mm_host {
public:
  explicit mm_host(T *data, std::size_t = 0) : data(data) {}
  T &operator[](long index) { return data[index]; }
  T &operator*() { return *data; }

private:
  T *data;
};

template <auto &f> std::thread &thread_of()
{
  static std::thread thread;
  return thread;
}

/* Starts a task. Its arguments must live until it is collected. */
template <auto &f, typename... ARGUMENTS> void launch(ARGUMENTS &&...arguments)
{
  std::tuple<ARGUMENTS...> given(std::forward<ARGUMENTS>(arguments)...);
  thread_of<f>() = std::thread([given]() mutable { std::apply(f, given); });
}

/* Waits for the end of a task. */
template <auto &f> void collect()
{
  thread_of<f>().join();
}

} // namespace ihc

#endif
""".replace("@READ@\n", _READ)
