#include "cluster/protocol/addresses.h"

#include <cstdint>
#include <utility>

#include "comm/codec/identity.h"

namespace singa {

Address ClientAddress(int worker_group, int process) {
  Address address;
  address.set_role(Address::kClient);
  address.set_group(worker_group);
  address.set_id(process);
  return address;
}

Address ServerAddress(RoleId server) {
  Address address;
  address.set_role(Address::kServer);
  address.set_group(server.group);
  address.set_id(server.id);
  return address;
}

int ProcessOf(const Topology& topology, const Address& address) {
  if (address.role() != Address::kServer) return static_cast<int>(address.id());
  return topology.ProcessOfServer(
      {static_cast<int>(address.group()), static_cast<int>(address.id())});
}

bool SameAddress(const Address& a, const Address& b) {
  return a.role() == b.role() && a.group() == b.group() && a.id() == b.id();
}

bool IsClient(const Topology& topology, const Address& from, int rank) {
  return from.role() == Address::kClient && from.id() == static_cast<uint32_t>(rank) &&
         from.group() < static_cast<uint32_t>(topology.worker_groups()) &&
         topology.ProcessesOf(static_cast<int>(from.group())).Has(rank);
}

bool IsServer(const Topology& topology, const Address& from, int rank) {
  if (from.role() != Address::kServer ||
      from.group() >= static_cast<uint32_t>(topology.server_groups()) ||
      from.id() >= static_cast<uint32_t>(topology.servers_per_group()))
    return false;
  const RoleId server = {static_cast<int>(from.group()), static_cast<int>(from.id())};
  return topology.ProcessOfServer(server) == rank;
}

const Codec& CodecOf(const Message& message, const Codec& gradients) {
  const WireMessage::Type type = message.head.type();
  const bool encoded = type == WireMessage::kUpdate || type == WireMessage::kApplied;
  return encoded ? gradients : Identity();
}

bool ReadParts(const Message& message, const SliceSet& slices, const Codec& codec,
               std::vector<EncodedPart>* parts) {
  if (message.head.part_size() > slices.size()) return false;
  std::vector<bool> seen(slices.size());
  size_t frame = 0, used = 0;  // where the next part's bytes begin
  for (const SlicePart& part : message.head.part()) {
    if (!slices.Has(part.slice())) return false;
    const auto slice = static_cast<int>(part.slice());
    const int place = slices.PlaceOf(slice);
    if (seen[place]) return false;
    seen[place] = true;
    EncodedPart encoded = {slice, &part, {}};
    const int64_t most = part.elements() > 0 ? codec.MostBytes(part.elements()) : 0;
    const auto bytes = static_cast<size_t>(part.has_bytes() ? part.bytes() : most);
    if (bytes > 0) {
      if (frame == message.payload.size()) return false;
      const Frame& whole = message.payload[frame];
      if (bytes > whole.size() - used) return false;
      encoded.bytes = whole.Part(used, bytes);
      used += bytes;
      if (used == whole.size()) ++frame, used = 0;
    }
    parts->push_back(std::move(encoded));
  }
  return frame == message.payload.size();
}

std::optional<PartView> Decode(const Codec& codec, const EncodedPart& part) {
  std::optional<Frame> floats = Decode(codec, part.bytes, part.head->elements());
  if (!floats) return std::nullopt;
  return PartView{part.slice, part.head, *std::move(floats)};
}

}  // namespace singa
