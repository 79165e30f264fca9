// Makes the control messages that stubs send to each other (ControlMessage in wire.proto).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/message/message.h"

namespace singa {

// Returns the message that carries `control` to the stub of process `rank`.
Message ControlTo(int rank, ControlMessage control);
// Returns a message of `kind`. REQUIRES: this kind has no fields.
ControlMessage EmptyControl(ControlMessage::KindCase kind);
// Returns the message that says how training begins. group_steps: the steps that each worker group
// has done. `total`: those of each group in the whole job. `checkpoint`: the folder to read; "":
// none, and the caller adds first values. `epoch_steps`: the steps of an epoch; 0: not known.
ControlMessage::Begin BeginAt(const std::vector<int64_t>& group_steps, int64_t total,
                              const std::string& checkpoint, double epoch_steps = 0);
// Return news of a worker group: it has done `steps` steps; it trains no more.
ControlMessage StepsOf(int64_t group, int64_t steps);
ControlMessage LeftBy(int64_t group);
// Returns the name of the field in wire.proto, for people.
std::string NameOf(ControlMessage::KindCase kind);

}  // namespace singa
