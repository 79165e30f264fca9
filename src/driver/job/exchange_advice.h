// ExchangeAdvice says when compressed gradients make a job slower than whole ones would be. Before
// the first step the processes exchange as many numbers as a gradient has. If a step spends more
// time on its exchange than that took, compression does not pay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/protocol/process_share.h"

namespace singa {

class ExchangeAdvice {
 public:
  static constexpr double kSteps = 200;  // that are measured before it says anything

  // `mode`: the name of the compression; `whole_ms`: of an exchange of whole gradients; 0: not
  // known, and nothing is said.
  ExchangeAdvice(std::string mode, double whole_ms) : mode_(std::move(mode)), whole_ms_(whole_ms) {}

  // Takes the shares of all processes over the last `steps` steps. Returns the advice once, when it
  // is due.
  std::optional<std::string> Add(const std::vector<ProcessShare>& shares, double steps);

 private:
  const std::string mode_;
  const double whole_ms_;
  double steps_ = 0, exchange_ms_ = 0;  // of all steps
  bool done_ = false;
};

}  // namespace singa
