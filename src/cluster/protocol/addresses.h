// Addresses of roles, and what is true of a message before anybody looks at its meaning.
#pragma once

#include <optional>
#include <vector>

#include "cluster/protocol/topology.h"
#include "comm/codec/float_frame.h"

namespace singa {

Address ClientAddress(int worker_group, int process);
Address ServerAddress(RoleId server);
// The process that has the role, or is the stub's.
int ProcessOf(const Topology& topology, const Address& address);
bool SameAddress(const Address& a, const Address& b);

// Whether `from` is a role of that kind that process `rank` has.
bool IsClient(const Topology& topology, const Address& from, int rank);
bool IsServer(const Topology& topology, const Address& from, int rank);

// A part with its payload.
struct EncodedPart {
  int slice = 0;
  const SlicePart* head = nullptr;
  Frame bytes;  // of head->elements() floats, unchecked
};
struct PartView {
  int slice = 0;
  const SlicePart* head = nullptr;
  Frame floats;  // head->elements() of them
};

// The codec of the floats in `message`; `gradients`: the job's codec.
const Codec& CodecOf(const Message& message, const Codec& gradients);
// The parts of `message`; false unless each is of a slice in `slices`, none comes twice, and the
// payload's frames hold as many bytes as they say and no more.
bool ReadParts(const Message& message, Range slices, const Codec& codec,
               std::vector<EncodedPart>* parts);
// None where the bytes are not head->elements() floats. REQUIRES: the receiver expects so many.
std::optional<PartView> Decode(const Codec& codec, const EncodedPart& part);

}  // namespace singa
