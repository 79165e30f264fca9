// These functions make the bytes of small stores.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "singa/proto/common.pb.h"

namespace singa {

inline std::string BigEndian(uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

inline std::string Length(uint64_t n) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(n >> (8 * i));
  return bytes;
}

inline std::string Tuple(const std::string& key, const std::string& value) {
  return Length(key.size()) + key + Length(value.size()) + value;
}

inline std::string Idx(const std::vector<uint32_t>& dims, const std::string& elements) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(dims.size());
  for (uint32_t d : dims) bytes += BigEndian(d);
  return bytes + elements;
}

inline std::string Pixels(int label, const std::string& pixel, std::vector<int> shape = {}) {
  RecordProto record;
  for (int d : shape) record.add_shape(d);
  if (label >= 0) record.set_label(label);
  record.set_pixel(pixel);
  return record.SerializeAsString();
}

inline std::string Floats(const std::vector<float>& data) {
  RecordProto record;
  for (float x : data) record.add_data(x);
  return record.SerializeAsString();
}

inline std::string Gzip(const std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace singa
