/* Vectors for programs on a computer: elements that move at once, aligned as the vendor's are. */
#ifndef LOADSTONE_HLS_VECTOR_H
#define LOADSTONE_HLS_VECTOR_H

#include <cstddef>

namespace hls {

template <typename T, std::size_t N> class alignas(N * sizeof(T)) vector {
public:
  vector() = default;
  vector(const T &value)
  {
    for (T &each : data)
      each = value;
  }
  T &operator[](std::size_t index) { return data[index]; }
  const T &operator[](std::size_t index) const { return data[index]; }

private:
  T data[N];
};

} // namespace hls

#endif
