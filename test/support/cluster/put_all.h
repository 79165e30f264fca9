// PutAll has one client of a server group put the first values of all slices. ServedCluster::Fill
// does the same in a job.
#pragma once

#include <vector>

#include "cluster/client/client.h"

namespace singa {

// `params`: the values of each param. GetAll sends the values that were put.
inline void PutAll(Client* client, const SliceTable& table, const std::vector<float*>& params) {
  for (int s = 0; s < table.size(); ++s) {
    const float* const begin = params[table[s].param] + table[s].begin;
    client->Put(s, {.floats = {begin, begin + table[s].size}});
  }
}

}  // namespace singa
