// SliceOwners maps slices to the servers of a group, and to the server groups that are their
// masters.
#pragma once

#include <vector>

#include "cluster/protocol/topology.h"
#include "comm/collective/slice_table.h"

namespace singa {

class SliceOwners {
 public:
  SliceOwners(const Topology& topology, const SliceTable& table)
      : ends_(CutEvenly(table, topology.servers_per_group())), groups_(topology.server_groups()) {
    for (int s = 0; s < topology.servers_per_group(); ++s) owner_.resize(Of(s).last, s);
  }

  // Returns the slices of server `id` of each group. Each server has one run of about equally many
  // elements.
  Range Of(int id) const { return {ends_[id], ends_[id + 1]}; }
  int Owner(int slice) const { return owner_[slice]; }
  // Groups are masters in turn, so that the slices of one server have all groups as masters.
  int MasterGroup(int slice) const { return slice % groups_; }

 private:
  std::vector<int> ends_, owner_;
  int groups_;
};

}  // namespace singa
