// SliceOwners maps slices to the servers of a group, and to the server groups that are their
// masters.
#pragma once

#include <vector>

#include "cluster/protocol/slice_set.h"
#include "cluster/protocol/topology.h"
#include "comm/collective/slice_table.h"

namespace singa {

class SliceOwners {
 public:
  SliceOwners(const Topology& topology, const SliceTable& table);

  // Returns the slices of server `id` of each group. A slice whose gradient one worker computes is
  // at a server in the process that has this worker of the first worker group, if a server of the
  // first server group is there. Of the others each server has a run of about equally many
  // elements.
  const SliceSet& Of(int id) const { return sets_[id]; }
  int Owner(int slice) const { return owner_[slice]; }
  // Groups are masters in turn, so that the slices of one server have all groups as masters.
  int MasterGroup(int slice) const { return slice % groups_; }

 private:
  std::vector<int> owner_;
  std::vector<SliceSet> sets_;  // by server
  int groups_;
};

}  // namespace singa
