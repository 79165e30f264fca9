// MeanModel returns the model of a group whose workers have values of their own (kPartial).
#pragma once

#include <span>
#include <vector>

#include "cluster/client/model_gather.h"
#include "comm/collective/link_collective.h"
#include "train/apply/replica.h"

namespace singa {

// Returns the means of values and states over the group. own: for each contributor in this process,
// its floats as Replica::AllFloats returns them. share: of the group, that each contributor has.
// between: the group's processes, which all call this; null: there are no others.
std::vector<SliceState> MeanModel(const Replica& replica,
                                  const std::vector<std::span<const float>>& own, float share,
                                  LinkCollective* between);

}  // namespace singa
