// A packet as bytes: a header with a checksum over everything, then the payload frames. The
// grammar: proto/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/message/message.h"
#include "comm/transport/transport.h"

namespace singa {

inline constexpr uint32_t kWireVersion = 4;
inline constexpr size_t kJobIdBytes = 16;

// Bounds of what is sent and of what is read.
struct PacketLimits {
  size_t frames = 4096;                // of payload
  size_t head_bytes = 64 << 10;        // of the first frame
  size_t payload_bytes = 64ull << 20;  // of all payload frames together
};

// Why a packet is not applied. The first ones are found by its bytes alone.
enum class Refusal {
  kNone,
  kSize,      // no frame, or more or larger ones than the limits
  kMagic,     // not a packet of ours
  kChecksum,  // damaged
  kHeader,    // not a PacketHeader, or one that contradicts itself
  kVersion,   // of the protocol
  kJob,
  kEpoch,
  kRank,      // says that it is from another rank than the authenticated one
  kReceiver,  // to another incarnation of this process
  kSender,    // from an incarnation that has not answered the present challenge
  kRetired,   // from an incarnation that was replaced or given up
  kAck,       // acknowledges what was never sent
};
inline constexpr int kRefusals = static_cast<int>(Refusal::kAck) + 1;

// "checksum", for logs and metrics.
const char* RefusalName(Refusal refusal);

struct DecodedPacket {
  Refusal refusal = Refusal::kNone;
  std::string text;  // what is wrong, if anything
  PacketHeader header;
  std::vector<Frame> payload;
};

// A packet with this message is within the limits. Who makes messages keeps to that.
bool Fits(const Message& message, const PacketLimits& limits);

// The payload is shared, not copied.
Packet EncodePacket(const PacketHeader& header, const std::vector<Frame>& payload);

DecodedPacket DecodePacket(Packet packet, const PacketLimits& limits);

}  // namespace singa
