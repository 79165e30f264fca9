#include "cluster/ranks/mean_model.h"

namespace singa {

// Each process adds up its own in float64.
std::vector<SliceState> MeanModel(const Replica& replica,
                                  const std::vector<std::span<const float>>& own, float share,
                                  LinkCollective* between) {
  const SliceTable& table = replica.table();
  std::vector<SliceState> model(table.size());
  size_t at = 0;
  for (int s = 0; s < table.size(); ++s) {
    std::vector<double> means((1 + replica.state_count()) * table[s].size);
    for (const std::span<const float> floats : own)
      for (size_t i = 0; i < means.size(); ++i) means[i] += double{floats[at + i]} * share;
    if (between) between->AllReduceOfRanks(means);
    model[s].count = replica.count_of(s);
    model[s].floats.assign(means.begin(), means.end());
    at += means.size();
  }
  return model;
}

}  // namespace singa
