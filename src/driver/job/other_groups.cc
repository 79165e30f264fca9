#include "driver/job/other_groups.h"

#include "base/thread/omp_threads.h"
#include "base/thread/thread.h"
#include "driver/signals/interrupt.h"

namespace singa {

OtherGroups::OtherGroups(WorkerGroups* groups, const Schedule& schedule, MetricsSink* sink)
    : groups_(*groups), schedule_(schedule), sink_(sink) {
  try {
    threads_.reserve(groups_.here().size());
    for (const int group : groups_.here())
      if (group > 0) threads_.push_back(StartThread([this, group] { Run(group); }));
  } catch (...) {
    EndThreads();
    throw;
  }
}

OtherGroups::~OtherGroups() { EndThreads(); }

void OtherGroups::EndThreads() {
  groups_.EndWaits();
  for (std::thread& thread : threads_) thread.join();
}

void OtherGroups::Check() {
  const MutexLock lock(&mutex_);
  if (error_) std::rethrow_exception(error_);
}

void OtherGroups::Run(int group) {
  StepGate& gate = groups_.steps().gate();
  SetOmpThreads(groups_.team(group).lead().model().ctx().threads);
  try {
    const bool leads = groups_.steps().Leads(group);
    GroupLoop loop(&groups_, group, schedule_, leads ? sink_ : nullptr);
    const auto stop = [&] {
      return gate.stopped() || (leads && InterruptCode() != kExitOk && !groups_.steps().together());
    };
    for (int64_t step = gate.steps(group); step < schedule_.steps(); ++step) {
      if (!loop.AwaitRecords(stop) || stop()) break;
      if (!gate.Pass(group, step)) break;
      if (leads) groups_.steps().AllowSteps(group, step + 1);
      loop.TrainStep(step);
    }
  } catch (...) {
    const MutexLock lock(&mutex_);
    if (!error_) error_ = std::current_exception();
    groups_.Fail(error_);
    return gate.Leave(group);
  }
  groups_.steps().Leave(group);
}

}  // namespace singa
