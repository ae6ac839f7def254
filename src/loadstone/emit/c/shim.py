"""Headers that stand in for the vendors' where generated HLS C++ runs on a computer, its processes as threads."""

from __future__ import annotations

from loadstone.texts import text_of

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

HLS_STREAM_H = text_of(__name__, "hls_stream.h").replace("@READ@\n", _READ)

HLS_VECTOR_H = text_of(__name__, "hls_vector.h")

HLS_H = text_of(__name__, "hls.h").replace("@READ@\n", _READ)
