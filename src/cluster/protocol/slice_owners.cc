#include "cluster/protocol/slice_owners.h"

#include <algorithm>
#include <utility>

namespace singa {
namespace {

// Returns the servers of the first group in the process of `worker`.
std::vector<int> ServersBeside(const Topology& topology, int worker) {
  std::vector<int> ids;
  for (const RoleId& server : topology.Servers(topology.ProcessOfWorker({0, worker})))
    if (server.group == 0) ids.push_back(server.id);
  return ids;
}

}  // namespace

SliceOwners::SliceOwners(const Topology& topology, const SliceTable& table)
    : owner_(table.size(), -1), groups_(topology.server_groups()) {
  const int servers = topology.servers_per_group();
  std::vector<int64_t> elements(servers);  // of slices of one worker
  std::vector<int> rest;
  for (int s = 0; s < table.size(); ++s) {
    const std::vector<int> beside = table[s].by.count != 1 || table[s].by.stride == 1
                                        ? std::vector<int>()
                                        : ServersBeside(topology, table[s].by.first);
    if (beside.empty()) {
      rest.push_back(s);
      continue;
    }
    owner_[s] = *std::ranges::min_element(beside, {}, [&](int id) { return elements[id]; });
    elements[owner_[s]] += table[s].size;
  }
  const std::vector<int> ends = CutEvenly(table, rest, servers);
  for (int id = 0; id < servers; ++id)
    for (int i = ends[id]; i < ends[id + 1]; ++i) owner_[rest[i]] = id;
  std::vector<std::vector<int>> slices(servers);
  for (int s = 0; s < table.size(); ++s) slices[owner_[s]].push_back(s);
  for (std::vector<int>& of_server : slices) sets_.emplace_back(std::move(of_server));
}

}  // namespace singa
