/* hls::stream for simulation in one thread. */
#ifndef LOADSTONE_STREAM_H
#define LOADSTONE_STREAM_H

#include <deque>

namespace hls {

template <typename T, int DEPTH = 0> class stream {
public:
  stream() = default;
  explicit stream(const char *) {}
  stream(const stream &) = delete;
  stream &operator=(const stream &) = delete;

  T read()
  {
    if (values.empty())
      return T();
    const T value = values.front();
    values.pop_front();
    return value;
  }
  void read(T &value) { value = read(); }
  void write(const T &value) { values.push_back(value); }
  bool empty() const { return values.empty(); }

private:
  std::deque<T> values;
};

template <typename T, int D> void operator>>(stream<T, D> &from, T &value) { value = from.read(); }
template <typename T, int D> void operator<<(stream<T, D> &to, const T &value) { to.write(value); }

} // namespace hls

#endif
