#include "driver/plan/measured_times.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/system/machine_use.h"
#include "base/text/counted.h"
#include "base/thread/core_binding.h"
#include "base/thread/thread.h"
#include "driver/plan/part_meeting.h"
#include "driver/plan/part_run.h"
#include "driver/timing/median.h"
#include "driver/version.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int kTurns = 3;  // each part is measured so often
constexpr int64_t kPartWarmUp = 2, kLeastOfPart = 2, kMostOfPart = 20;  // steps of one turn
constexpr double kPartMs = 400;  // of the measured steps, if they are more than kLeastOfPart

int64_t StepsFor(double ms) {
  return std::clamp(static_cast<int64_t>(kPartMs / std::max(ms, 1e-3)), kLeastOfPart, kMostOfPart);
}

// Runs the parts of the last workers, each in a thread, in step with each other.
class PartRuns {
 public:
  PartRuns(const JobProto& job, const PlanCluster& cluster)
      : job_(job),
        cluster_(cluster),
        count_(CountFor(job, cluster)),
        steps_meet_(count_),
        bridges_meet_(count_) {}

  PartTimes Run() {
    std::vector<std::thread> threads;
    CheckThreads(count_ * cluster_.threads);
    runs_.resize(count_);
    errors_.resize(count_);
    std::exception_ptr not_started;
    for (int i = 0; i < count_; ++i) {
      try {
        threads.push_back(StartThread([this, i] { RunOne(i); }));
      } catch (...) {
        failed_ = true;
        not_started = std::current_exception();
        steps_meet_.arrive_and_drop();  // the others meet without it
      }
    }
    for (std::thread& thread : threads) thread.join();
    if (not_started) std::rethrow_exception(not_started);
    for (const std::exception_ptr& error : errors_)
      if (error) std::rethrow_exception(error);
    return MeanOf();
  }

 private:
  // Returns the number of workers that run at once: those of a host. If they take more than two
  // turns on its cores, as many as take two; fewer if they do not fit into the memory.
  static int CountFor(const JobProto& job, const PlanCluster& cluster) {
    const PartTrainer one(job, cluster.PlaceOf(cluster.workers - 1));
    const JobMemory memory = one.trainer().memory();
    memory.Check();
    const int64_t bytes = std::max<int64_t>(1, memory.host.total());
    const int64_t fit = UsableMemory() / 2 / bytes;
    const int64_t most = std::min(cluster.here(), 2 * cluster.at_once());
    return static_cast<int>(std::clamp<int64_t>(fit, 1, most));
  }

  void RunOne(int i) {
    try {
      runs_[i] = std::make_unique<PartRun>(job_, cluster_.PlaceOf(cluster_.workers - 1 - i),
                                           &bridges_meet_, i);
    } catch (...) {
      errors_[i] = std::current_exception();
      failed_ = true;
    }
    for (int64_t step = 0; step < kPartWarmUp; ++step) {
      const double ms = Step(i, step);
      if (i == 0 && step == kPartWarmUp - 1) steps_ = StepsFor(ms);
    }
    steps_meet_.arrive_and_wait();
    const int64_t steps = steps_;
    for (int64_t step = 0; step < steps; ++step) {
      const double ms = Step(i, kPartWarmUp + step);
      if (!failed_) runs_[i]->Record(ms);
    }
  }

  double Step(int i, int64_t step) {
    steps_meet_.arrive_and_wait();
    if (failed_) return 0;
    try {
      return runs_[i]->Step(step);
    } catch (...) {
      errors_[i] = std::current_exception();
      failed_ = true;
      bridges_meet_.End();
      return 0;
    }
  }

  PartTimes MeanOf() const {
    PartTimes mean;
    for (const auto& run : runs_) {
      const PartTimes part = run->Result();
      for (const auto& [name, times] : part.layers) {
        LayerTimes& sum = mean.layers[name];
        sum.forward += times.forward / count_;
        sum.backward += times.backward / count_;
        sum.update += times.update / count_;
      }
      mean.rest_ms += part.rest_ms / count_;
    }
    Scale(StepMs() / mean.step_ms() * cluster_.turns() / cluster_.TurnsOf(count_), &mean);
    return mean;
  }

  // Returns the median time of a step. The workers of a group meet in each step, so the slowest one
  // counts.
  double StepMs() const {
    std::vector<double> all;
    for (size_t step = 0; step < runs_[0]->steps(); ++step) {
      double slowest = 0;
      for (const auto& run : runs_) slowest = std::max(slowest, run->MsOf(step));
      all.push_back(slowest);
    }
    return Median(std::move(all));
  }

  static void Scale(double factor, PartTimes* times) {
    for (auto& [name, layer] : times->layers) {
      layer.forward *= factor;
      layer.backward *= factor;
      layer.update *= factor;
    }
    times->rest_ms *= factor;
  }

  const JobProto& job_;
  const PlanCluster& cluster_;
  const int count_;
  std::barrier<> steps_meet_;  // before each step
  PartMeeting bridges_meet_;   // within a step
  std::vector<std::unique_ptr<PartRun>> runs_;
  std::vector<std::exception_ptr> errors_;
  std::atomic<bool> failed_{false};
  std::atomic<int64_t> steps_{kLeastOfPart};
};

// Returns the medians over several turns.
PartTimes MedianOf(const std::vector<PartTimes>& turns) {
  const auto median = [&](const auto& value) {
    std::vector<double> values;
    values.reserve(turns.size());
    for (const PartTimes& turn : turns) values.push_back(value(turn));
    return Median(std::move(values));
  };
  PartTimes result;
  for (const auto& entry : turns[0].layers)
    for (double LayerTimes::*part :
         {&LayerTimes::forward, &LayerTimes::backward, &LayerTimes::update})
      result.layers[entry.first].*part =
          median([&](const PartTimes& turn) { return turn.layers.at(entry.first).*part; });
  result.rest_ms = median([](const PartTimes& turn) { return turn.rest_ms; });
  const double middle = median([](const PartTimes& turn) { return turn.step_ms(); });
  result.spread =
      median([&](const PartTimes& turn) { return std::abs(turn.step_ms() - middle) / middle; });
  return result;
}

// Returns the use of cores by other programs since `before`, if it slows a program down that wants
// all cores it may use.
OtherPrograms OthersSince(const std::optional<MachineUse>& before) {
  constexpr double kLittle = 0.1;  // of the cores: the system itself always works a little
  const std::optional<MachineUse> now = ReadMachineUse();
  if (!before || !now) return {};
  const double used = CoresOfOthers(*before, *now);
  if (used <= now->cores - (1 - kLittle) * UsableCores()) return {};
  return {used, now->cores};
}

}  // namespace

std::vector<PartTimes> MeasuredTimes::Of(const std::vector<PartRequest>& requests) {
  const std::optional<MachineUse> before = ReadMachineUse();
  std::vector<std::vector<PartTimes>> turns(requests.size());
  for (int turn = 0; turn < kTurns; ++turn)
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto parts = static_cast<int>(requests.size());
      if (progress_) progress_(turn * parts + static_cast<int>(i), kTurns * parts);
      turns[i].push_back(PartRuns(requests[i].job, requests[i].cluster).Run());
    }
  std::vector<PartTimes> times;
  times.reserve(turns.size());
  const OtherPrograms others = OthersSince(before);
  for (const std::vector<PartTimes>& of_part : turns) {
    times.push_back(MedianOf(of_part));
    times.back().others = others;
  }
  return times;
}

std::string MeasuredTimes::source() const {
  return StrCat("measured on this machine, ", InstructionSet(), ", ",
                Counted(UsableCores(), "core"));
}

}  // namespace singa
