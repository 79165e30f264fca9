#include "comm/collective/collective.h"

#include <glog/logging.h>

#include <algorithm>

namespace singa {

Collective::Operation Collective::StartWith(const Request& request) {
  CHECK_EQ(request.peer, std::clamp(request.peer, 0, size() - 1));
  return Start(request);
}

Collective::Operation Collective::StartAllReduce(std::span<const double> parts,
                                                 std::span<double> sum) {
  return StartWith(
      {.kind = Kind::kSumDoubles, .in = std::as_bytes(parts), .out = std::as_writable_bytes(sum)});
}

Collective::Operation Collective::StartAllReduce(std::span<const float> parts,
                                                 std::span<float> sum) {
  return StartWith(
      {.kind = Kind::kSumFloats, .in = std::as_bytes(parts), .out = std::as_writable_bytes(sum)});
}

Collective::Operation Collective::StartAllGather(std::span<const std::byte> own,
                                                 std::span<std::byte> all) {
  CHECK_EQ(all.size(), own.size() * static_cast<size_t>(size()));
  return StartWith({.kind = Kind::kAllGather, .in = own, .out = all});
}

Collective::Operation Collective::StartBroadcast(int root, std::span<std::byte> bytes) {
  return StartWith({.kind = Kind::kBroadcast, .peer = root, .in = bytes, .out = bytes});
}

Collective::Operation Collective::StartSend(int to, std::span<const std::byte> bytes) {
  return StartWith({.kind = Kind::kSend, .peer = to, .in = bytes});
}

Collective::Operation Collective::StartReceive(int from, std::span<std::byte> bytes) {
  return StartWith({.kind = Kind::kReceive, .peer = from, .out = bytes});
}

}  // namespace singa
