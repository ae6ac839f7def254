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
