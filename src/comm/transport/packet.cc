#include "comm/transport/packet.h"

#include <google/protobuf/io/coded_stream.h>

#include <bit>
#include <cstring>
#include <utility>

#include "base/file/crc32c.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr char kMagic[4] = {'S', 'N', 'G', 'W'};
constexpr size_t kPrefixBytes = 8;    // magic, checksum
constexpr size_t kHeaderBytes = 128;  // most of a PacketHeader without its message
constexpr int kDeepest = 16;          // levels of messages within messages

uint32_t Checksum(const char* head, size_t head_bytes, const Frame* payload, size_t frames) {
  uint32_t crc = Crc32c(head + kPrefixBytes, head_bytes - kPrefixBytes);
  for (size_t i = 0; i < frames; ++i) crc = ExtendCrc32c(crc, payload[i].data(), payload[i].size());
  return crc;
}

// Returns what is wrong with the packet's size; "": it is within the limits.
std::string WrongSize(const Packet& packet, const PacketLimits& limits) {
  if (packet.empty()) return "it has no frame";
  if (packet.size() - 1 > limits.frames)
    return StrCat("it has ", packet.size() - 1, " payload frames, more than ", limits.frames);
  const size_t head = packet[0].size();
  if (head < kPrefixBytes || head > limits.head_bytes)
    return StrCat("its head has ", head, " bytes, not ", kPrefixBytes, " to ", limits.head_bytes);
  size_t left = limits.payload_bytes;
  for (size_t i = 1; i < packet.size(); ++i) {
    if (packet[i].size() > left)
      return StrCat("its payload has more than ", limits.payload_bytes, " bytes");
    left -= packet[i].size();
  }
  return "";
}

bool Parse(const char* data, size_t bytes, PacketHeader* header) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(data),
                                            static_cast<int>(bytes));
  in.SetRecursionLimit(kDeepest);
  return header->ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
}

// Returns how the header's fields contradict each other; "": they agree.
std::string Contradiction(const PacketHeader& header, bool has_payload) {
  if (header.job().size() != kJobIdBytes)
    return StrCat("its job id has ", header.job().size(), " bytes, not ", kJobIdBytes);
  if (header.incarnation() == 0) return "it is from incarnation 0";
  if (header.has_message() != (header.seq() > 0))
    return header.has_message() ? "its message has no number" : "its number has no message";
  if (has_payload && !header.has_message()) return "its payload has no message";
  if (header.to_incarnation() == 0 && (header.seq() > 0 || header.ack() > 0 || header.answer() > 0))
    return "a message, acknowledgement or answer is to no incarnation";
  return "";
}

}  // namespace

const char* RefusalName(Refusal refusal) {
  constexpr const char* kNames[kRefusals] = {
      "none", "size", "magic",    "checksum", "header",  "version",
      "job",  "rank", "receiver", "sender",   "retired", "ack",
  };
  return kNames[static_cast<int>(refusal)];
}

bool Fits(const Message& message, const PacketLimits& limits) {
  if (kPrefixBytes + kHeaderBytes + message.head.ByteSizeLong() > limits.head_bytes) return false;
  size_t bytes = 0;
  for (const Frame& frame : message.payload) bytes += frame.size();
  return message.payload.size() <= limits.frames && bytes <= limits.payload_bytes;
}

Packet EncodePacket(const PacketHeader& header, const std::vector<Frame>& payload) {
  const size_t bytes = kPrefixBytes + header.ByteSizeLong();
  auto head = std::make_shared_for_overwrite<char[]>(bytes);
  header.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(head.get() + kPrefixBytes));
  const uint32_t crc = Checksum(head.get(), bytes, payload.data(), payload.size());
  std::memcpy(head.get(), kMagic, sizeof kMagic);
  std::memcpy(head.get() + sizeof kMagic, &crc, sizeof crc);

  Packet packet;
  packet.reserve(1 + payload.size());
  const char* const at = head.get();
  packet.emplace_back(std::move(head), at, bytes);
  packet.insert(packet.end(), payload.begin(), payload.end());
  return packet;
}

DecodedPacket DecodePacket(Packet packet, const PacketLimits& limits) {
  DecodedPacket out;
  const auto refuse = [&](Refusal why, std::string text) {
    out.refusal = why;
    out.text = std::move(text);
    return std::move(out);
  };
  if (std::string text = WrongSize(packet, limits); !text.empty())
    return refuse(Refusal::kSize, std::move(text));
  const char* const head = static_cast<const char*>(packet[0].data());
  const size_t bytes = packet[0].size();
  if (std::memcmp(head, kMagic, sizeof kMagic) != 0)
    return refuse(Refusal::kMagic, "it does not begin with SNGW");
  uint32_t crc;
  std::memcpy(&crc, head + sizeof kMagic, sizeof crc);
  if (crc != Checksum(head, bytes, packet.data() + 1, packet.size() - 1))
    return refuse(Refusal::kChecksum, "its checksum is wrong");
  if (!Parse(head + kPrefixBytes, bytes - kPrefixBytes, &out.header))
    return refuse(Refusal::kHeader, "its header is no PacketHeader");
  if (out.header.version() != kWireVersion)
    return refuse(Refusal::kVersion, StrCat("it speaks version ", out.header.version(),
                                            " of the protocol, this process ", kWireVersion));
  if (std::string text = Contradiction(out.header, packet.size() > 1); !text.empty())
    return refuse(Refusal::kHeader, std::move(text));
  out.payload.assign(std::make_move_iterator(packet.begin() + 1),
                     std::make_move_iterator(packet.end()));
  return out;
}

}  // namespace singa
