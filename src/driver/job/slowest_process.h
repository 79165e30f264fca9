// SlowestProcess: which process of a worker group the others wait for, row by row.
#pragma once

#include <optional>
#include <vector>

#include "cluster/protocol/process_share.h"

namespace singa {

class SlowestProcess {
 public:
  struct Found {
    int place = 0;      // in the group
    double longer = 0;  // than the others work, on average, as a share of a step
  };

  // `shares`: of a row, by place. The process that works longest, where the others wait for it for
  // a fifth of a step and did so in the row before: among equal processes the slowest changes with
  // each row.
  std::optional<Found> Find(const std::vector<ProcessShare>& shares);

 private:
  int before_ = -1;  // place of the slowest process in the last row; -1: none
};

}  // namespace singa
