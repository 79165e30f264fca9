#include "driver/job/group_loop.h"

#include <chrono>

namespace singa {

double GroupLoop::samples_per_second() const {
  return static_cast<double>(groups_.team(group_).lead().batch()) / step_seconds();
}

std::optional<GroupLoop::Row> GroupLoop::TrainStep(int64_t step) {
  WorkerTeam& team = groups_.team(group_);
  const auto start = std::chrono::steady_clock::now();
  team.TrainStep(step);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++steps_;
  if (!schedule_.Display(step)) return std::nullopt;
  Row row = {team.metrics(),
             {samples_per_second(), 1e3 * step_seconds(),
              team.TakeWaitMs() / static_cast<double>(steps_)}};
  const RowPlace place = {"train", step, group_, groups_.CountBadRecords(group_)};
  WriteRows(place, row.sums, &row.speed, &file_);
  team.metrics().Reset();
  seconds_ = 0;
  steps_ = 0;
  return row;
}

}  // namespace singa
