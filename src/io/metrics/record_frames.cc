#include "io/metrics/record_frames.h"

#include <bit>
#include <cstring>

#include "base/file/crc32c.h"

namespace singa {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers of frames are little-endian");

constexpr int64_t kHeadBytes = 12;  // length: u64, its checksum: u32
constexpr int64_t kTailBytes = 4;   // checksum of the record: u32

template <typename T>
void AppendNumber(T number, std::string* to) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  to->append(bytes, sizeof number);
}

template <typename T>
T NumberAt(const char* bytes) {
  T number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

}  // namespace

uint32_t MaskedCrc32c(std::string_view bytes) {
  return std::rotr(Crc32c(bytes.data(), bytes.size()), 15) + 0xa282ead8;
}

std::string FrameOf(std::string_view record) {
  std::string frame;
  frame.reserve(record.size() + kHeadBytes + kTailBytes);
  AppendNumber(static_cast<uint64_t>(record.size()), &frame);
  AppendNumber(MaskedCrc32c(frame), &frame);
  frame += record;
  AppendNumber(MaskedCrc32c(record), &frame);
  return frame;
}

bool FrameReader::Next(std::string* record) {
  char head[kHeadBytes], tail[kTailBytes];
  const int64_t left = file_.size() - position_ - kHeadBytes - kTailBytes;
  if (left < 0) return false;
  file_.ReadAt(position_, head, kHeadBytes);
  const uint64_t bytes = NumberAt<uint64_t>(head);
  if (NumberAt<uint32_t>(head + sizeof bytes) != MaskedCrc32c({head, sizeof bytes})) return false;
  if (bytes > static_cast<uint64_t>(left) || bytes > kMostRecordBytes) return false;
  const auto n = static_cast<int64_t>(bytes);
  record->resize(bytes);
  file_.ReadAt(position_ + kHeadBytes, record->data(), n);
  file_.ReadAt(position_ + kHeadBytes + n, tail, kTailBytes);
  if (NumberAt<uint32_t>(tail) != MaskedCrc32c(*record)) return false;
  position_ += kHeadBytes + n + kTailBytes;
  return true;
}

}  // namespace singa
