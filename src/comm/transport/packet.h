// Encodes and decodes packets: a header with a checksum over everything, then the payload frames.
// proto/README.md has the grammar.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/message/message.h"
#include "comm/transport/transport.h"

namespace singa {

inline constexpr uint32_t kWireVersion = 9;
inline constexpr size_t kJobIdBytes = 16;

// Limits of packets, for sending and for reading.
struct PacketLimits {
  size_t frames = 4096;                // of payload
  size_t head_bytes = 64 << 10;        // of the first frame
  size_t payload_bytes = 64ull << 20;  // of all payload frames together
};

// The reason why a packet is not applied. DecodePacket finds kSize to kVersion by the bytes alone.
enum class Refusal {
  kNone,
  kSize,      // no frame, or more or larger ones than the limits
  kMagic,     // not a packet of ours
  kChecksum,  // damaged
  kHeader,    // not a PacketHeader, or one that contradicts itself
  kVersion,   // another version of the protocol
  kJob,
  kRank,      // claims another rank than the authenticated one
  kReceiver,  // to another incarnation of this process
  kSender,    // from an incarnation that has not answered the present challenge
  kRetired,   // from an incarnation that was replaced or given up
  kAck,       // acknowledges a message that was never sent
};
inline constexpr int kRefusals = static_cast<int>(Refusal::kAck) + 1;

// Returns a name such as "checksum", for logs and metrics.
const char* RefusalName(Refusal refusal);

struct DecodedPacket {
  Refusal refusal = Refusal::kNone;
  std::string text;  // the reason of the refusal, if any
  PacketHeader header;
  std::vector<Frame> payload;
};

// Returns whether a packet with this message is within the limits. Makers of messages ensure this.
bool Fits(const Message& message, const PacketLimits& limits);

// The payload is shared, not copied.
Packet EncodePacket(const PacketHeader& header, const std::vector<Frame>& payload);

DecodedPacket DecodePacket(Packet packet, const PacketLimits& limits);

}  // namespace singa
