// NoUpdates is an exchange that leaves params as they are.
#pragma once

#include <string>

#include "singa/train/algorithm.h"

namespace singa {

struct NoUpdates final : ParamExchange {
  void Await(Param*, int64_t) override {}
  void GradientReady(Param*, int64_t) override {}
  void LossNotFinite(const std::string&, int64_t) override {}
  void Finish(int64_t) override {}
};

}  // namespace singa
