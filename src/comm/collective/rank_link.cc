#include "comm/collective/rank_link.h"

#include <algorithm>

namespace singa {
namespace {

// Returns message `i` of `bytes`.
template <typename Byte>
std::span<Byte> MessageOf(std::span<Byte> bytes, int64_t i) {
  const int64_t begin = i * RankLink::kMostBytes;
  return bytes.subspan(
      static_cast<size_t>(begin),
      static_cast<size_t>(std::min(RankLink::kMostBytes, std::ssize(bytes) - begin)));
}

}  // namespace

int64_t RankLink::MessagesOf(int64_t bytes) {
  return std::max<int64_t>(1, (bytes + kMostBytes - 1) / kMostBytes);
}

void RankLink::SendAll(int to, int64_t first_tag, std::span<const std::byte> bytes) {
  for (int64_t i = 0; i < MessagesOf(std::ssize(bytes)); ++i)
    Send(to, first_tag + i, MessageOf(bytes, i));
}

void RankLink::ReceiveAll(int from, int64_t first_tag, std::span<std::byte> bytes) {
  for (int64_t i = 0; i < MessagesOf(std::ssize(bytes)); ++i)
    Receive(from, first_tag + i, MessageOf(bytes, i));
}

void RankLink::SendEach(int to, int64_t first_tag, const std::vector<Frame>& frames) {
  for (const Frame& frame : frames) {
    SendAll(to, first_tag, frame.bytes());
    first_tag += MessagesOf(std::ssize(frame.bytes()));
  }
}

void RankLink::ReceiveEach(int from, int64_t first_tag, std::span<const std::span<std::byte>> all) {
  for (const std::span<std::byte> bytes : all) {
    ReceiveAll(from, first_tag, bytes);
    first_tag += MessagesOf(std::ssize(bytes));
  }
}

}  // namespace singa
