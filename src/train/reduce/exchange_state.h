// Names in a checkpoint of the state that the exchange of gradients keeps for the workers of a
// group, such as "codec/group0/workers0-1/slice3". The first part is the kind of state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "math/reduction/sum_tree.h"

namespace singa {

inline constexpr std::string_view kCodecState = "codec";        // of the gradients' codec
inline constexpr std::string_view kLowRankState = "powersgd";   // of kPowerSGD
inline constexpr std::string_view kOwnValuesState = "partial";  // workers' own values, of kPartial

// Returns the beginning of the names of all state of a kind: "codec/".
std::string StatePrefix(std::string_view kind);
// Returns it for the workers of a group: "codec/group0/".
std::string StatePrefix(std::string_view kind, int group);
// Returns it for the workers of these nodes: "codec/group0/workers0-1+4-4/".
std::string StatePrefix(std::string_view kind, int group, const std::vector<SumNode>& nodes);
// Returns it for what all workers have alike: "powersgd/basis/".
std::string CommonPrefix(std::string_view kind);
// Returns whether `name` is of state of the kind that some workers alone have.
bool IsOfWorker(std::string_view name, std::string_view kind);

}  // namespace singa
