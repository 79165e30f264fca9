// Addresses of roles, and what is true of a message before anybody looks at its meaning.
#pragma once

#include <vector>

#include "cluster/protocol/topology.h"
#include "comm/message/message.h"

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
struct PartView {
  int slice = 0;
  const SlicePart* head = nullptr;
  Frame floats;  // 4 * head->elements() bytes, aligned
};

// The parts of `message`; false unless each is of a slice in `slices`, none comes twice, and the
// payload's frames hold their floats and no more.
bool ReadParts(const Message& message, Range slices, std::vector<PartView>* parts);

// Takes the floats over.
Frame FrameOf(std::vector<float> floats);
// Of a PartView.
inline const float* Floats(const Frame& frame) { return static_cast<const float*>(frame.data()); }

}  // namespace singa
