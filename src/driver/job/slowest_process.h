// SlowestProcess finds the process of a worker group that the others wait for, row by row.
#pragma once

#include <optional>
#include <vector>

#include "cluster/protocol/process_share.h"

namespace singa {

class SlowestProcess {
 public:
  struct Found {
    int place = 0;      // index in the group
    double longer = 0;  // how much longer it works than the others on average, as a share of a step
  };

  // Returns the process that works longest, if the others wait for it for a fifth of a step and did
  // so in the row before. (Among equal processes the slowest one changes with each row.) `shares`
  // is a row's, by place.
  std::optional<Found> Find(const std::vector<ProcessShare>& shares);

 private:
  int before_ = -1;  // place of the slowest process in the last row; -1: none
};

}  // namespace singa
