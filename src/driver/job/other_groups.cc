#include "driver/job/other_groups.h"

#include <omp.h>

#include "driver/job/interrupt.h"

namespace singa {

OtherGroups::OtherGroups(WorkerGroups* groups, const Schedule& schedule, MetricsFile* file)
    : groups_(*groups), schedule_(schedule), file_(*file) {
  for (int group = 1; group < groups_.size(); ++group)
    threads_.emplace_back([this, group] { Run(group); });
}

OtherGroups::~OtherGroups() {
  groups_.gate().Stop();
  for (std::thread& thread : threads_) thread.join();
}

void OtherGroups::Check() {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

void OtherGroups::Run(int group) {
  StepGate& gate = groups_.gate();
  omp_set_num_threads(groups_.team(group).lead().ctx().threads);
  try {
    GroupLoop loop(&groups_, group, schedule_, &file_);
    for (int64_t step = gate.steps(group); step < schedule_.steps(); ++step) {
      if (InterruptCode() != kExitOk || !gate.Pass(group, step)) break;
      loop.TrainStep(step);
      if (step + 1 == schedule_.steps()) gate.SetSteps(group, schedule_.steps());
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    gate.Stop();
  }
  gate.Leave(group);
}

}  // namespace singa
