#include "train/trainer/averages_in_use.h"

namespace singa {

AveragesInUse::AveragesInUse(Trainer* trainer) : trainer_(*trainer) {
  Replica& replica = trainer_.replica();
  if (!replica.rule().averages()) return;
  const std::vector<Param*>& params = trainer_.model().trained().params;
  for (size_t i = 0; i < params.size(); ++i)
    if (replica.count(static_cast<int>(i)) > 0)
      swapped_.emplace_back(&params[i]->host(), &replica.states()[i].tensors.back());
  Swap();
}

AveragesInUse::~AveragesInUse() { Swap(); }

void AveragesInUse::Swap() {
  if (swapped_.empty()) return;
  for (const auto& [values, average] : swapped_) std::swap(*values, *average);
  trainer_.path().MarkDeviceStale();
}

}  // namespace singa
