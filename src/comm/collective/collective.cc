#include "comm/collective/collective.h"

#include <glog/logging.h>

#include <algorithm>

namespace singa {

Collective::Operation Collective::StartAllReduce(std::span<const double> parts,
                                                 std::span<double> sum) {
  return Start(
      {.kind = Kind::kSumDoubles, .in = std::as_bytes(parts), .out = std::as_writable_bytes(sum)});
}

Collective::Operation Collective::StartAllReduce(std::span<const float> parts,
                                                 std::span<float> sum) {
  return Start(
      {.kind = Kind::kSumFloats, .in = std::as_bytes(parts), .out = std::as_writable_bytes(sum)});
}

Collective::Operation Collective::StartBroadcast(int root, std::span<std::byte> bytes) {
  CHECK_EQ(root, std::clamp(root, 0, size() - 1));
  return Start({.kind = Kind::kBroadcast, .root = root, .in = bytes, .out = bytes});
}

}  // namespace singa
