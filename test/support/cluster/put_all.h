// PutAll has one client of a server group put the first values of all slices. ServedCluster::Fill
// does the same in a job.
#pragma once

#include <vector>

#include "cluster/client/client.h"

namespace singa {

// `params`: the values of each param, which hold `version` steps. GetAll sends the values that were
// put.
inline void PutAll(Client* client, const SliceTable& table, const std::vector<float*>& params,
                   int64_t version = 0) {
  for (int s = 0; s < table.size(); ++s) {
    const float* const begin = params[table[s].param] + table[s].begin;
    client->Put(s, {.version = version, .floats = {begin, begin + table[s].size}});
  }
}

}  // namespace singa
