// Control messages: what stubs tell each other (ControlMessage in wire.proto).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/message/message.h"

namespace singa {

// To the stub of process `rank`.
Message ControlTo(int rank, ControlMessage control);
// A message of a kind that has no fields. REQUIRES: `kind` is one.
ControlMessage EmptyControl(ControlMessage::KindCase kind);
// How training begins where each worker group has done so many steps. `checkpoint`: the folder to
// read; "": first values, which the caller adds.
ControlMessage::Begin BeginAt(const std::vector<int64_t>& group_steps,
                              const std::string& checkpoint);
// News of a worker group: it has done so many steps; it trains no more.
ControlMessage StepsOf(int64_t group, int64_t steps);
ControlMessage LeftBy(int64_t group);
// The name of the field in wire.proto, for people.
std::string NameOf(ControlMessage::KindCase kind);

}  // namespace singa
