// ProcessShares collects how each process of worker group 0 spends the steps of a measurement. All
// processes of the group exchange their shares in the steps after which the job's schedule has a
// row. Rank 0's thread uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "cluster/protocol/process_share.h"
#include "cluster/workers/worker_groups.h"
#include "driver/job/schedule.h"

namespace singa {

class ProcessShares {
 public:
  // Both must outlive it.
  ProcessShares(WorkerGroups* groups, const Schedule* schedule)
      : groups_(*groups), schedule_(*schedule) {}

  // Is called after each step. The steps up to the first row do not count.
  void Add(int64_t step);
  // Returns the means of a step, by process; none before the second row.
  std::vector<ProcessShare> Means() const;

 private:
  using Clock = std::chrono::steady_clock;

  // Returns the share of this process in a step, since the last row.
  ProcessShare TakeOwn(int64_t steps);

  WorkerGroups& groups_;
  const Schedule& schedule_;
  int64_t last_step_ = -1;  // of the last row; -1: none
  Clock::time_point last_row_;
  int64_t sent_ = 0;                // bytes up to the last row
  int64_t steps_ = 0;               // in sums_
  std::vector<ProcessShare> sums_;  // by process
};

}  // namespace singa
