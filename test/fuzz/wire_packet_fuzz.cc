// Decodes any frames as a packet, also with the right magic and checksum put before them. They are
// refused with a reason, or are a packet that reads the same after writing.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/file/crc32c.h"
#include "comm/transport/packet.h"
#include "frames.h"

namespace singa {
namespace {

void Check(const Packet& packet) {
  constexpr PacketLimits kLimits{.frames = 8, .head_bytes = 4096, .payload_bytes = 8192};
  const DecodedPacket got = DecodePacket(packet, kLimits);
  if ((got.refusal == Refusal::kNone) != got.text.empty()) std::abort();
  if (std::strlen(RefusalName(got.refusal)) == 0) std::abort();
  if (got.refusal != Refusal::kNone) return;
  // A head from others may be longer than ours.
  const PacketLimits more{.frames = 8, .head_bytes = 1 << 20, .payload_bytes = 8192};
  if (!Fits({got.header.message(), got.payload}, more)) std::abort();
  const DecodedPacket again = DecodePacket(EncodePacket(got.header, got.payload), more);
  if (again.refusal != Refusal::kNone || again.payload.size() != got.payload.size() ||
      again.header.SerializeAsString() != got.header.SerializeAsString())
    std::abort();
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  singa::FrameReader in(data, size);
  singa::Packet packet;
  while (!in.empty()) packet.push_back(in.Next());
  singa::Check(packet);
  if (packet.empty()) return 0;

  const std::string head(static_cast<const char*>(packet[0].data()), packet[0].size());
  uint32_t crc = singa::Crc32c(head.data(), head.size());
  for (size_t i = 1; i < packet.size(); ++i)
    crc = singa::ExtendCrc32c(crc, packet[i].data(), packet[i].size());
  std::string whole = "SNGW" + std::string(4, '\0') + head;
  std::memcpy(whole.data() + 4, &crc, sizeof crc);
  packet[0] = singa::Frame::Copy(whole.data(), whole.size());
  singa::Check(packet);
  return 0;
}
