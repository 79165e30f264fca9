// Makes addresses of roles, and checks the form of messages.
#pragma once

#include <optional>
#include <vector>

#include "cluster/protocol/slice_set.h"
#include "cluster/protocol/topology.h"
#include "comm/codec/float_frame.h"

namespace singa {

Address ClientAddress(int worker_group, int process);
Address ServerAddress(RoleId server);
// Returns the process that has the role, or that the stub belongs to.
int ProcessOf(const Topology& topology, const Address& address);
bool SameAddress(const Address& a, const Address& b);

// Return whether `from` is a client, or a server, of process `rank`.
bool IsClient(const Topology& topology, const Address& from, int rank);
bool IsServer(const Topology& topology, const Address& from, int rank);

// A part of a message with its payload.
struct EncodedPart {
  int slice = 0;
  const SlicePart* head = nullptr;
  Frame bytes;  // should encode head->elements() floats; unchecked
};
struct PartView {
  int slice = 0;
  const SlicePart* head = nullptr;
  Frame floats;  // head->elements() of them
};

// Returns the codec of the floats in `message`. `gradients`: the job's codec.
const Codec& CodecOf(const Message& message, const Codec& gradients);
// Reads the parts of `message`. Returns false unless each is of a slice in `slices`, none comes
// twice, and the payload's frames hold exactly the bytes that the parts state.
bool ReadParts(const Message& message, const SliceSet& slices, const Codec& codec,
               std::vector<EncodedPart>* parts);
// Decodes a part. Returns none if the bytes do not encode head->elements() floats. REQUIRES: the
// receiver expects so many floats.
std::optional<PartView> Decode(const Codec& codec, const EncodedPart& part);

}  // namespace singa
