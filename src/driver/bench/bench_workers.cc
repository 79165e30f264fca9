#include "driver/bench/bench_workers.h"

#include <glog/logging.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/workers/make_worker_groups.h"
#include "comm/message/control_message.h"
#include "driver/bench/process_shares.h"
#include "driver/bench/team_recorder.h"
#include "driver/job/alike.h"
#include "driver/job/divided_job.h"
#include "driver/job/end_process.h"
#include "driver/job/first_values.h"
#include "driver/job/group_loop.h"
#include "driver/job/other_groups.h"
#include "driver/job/step_grants.h"
#include "driver/launch/launch_place.h"
#include "driver/signals/interrupt.h"

namespace singa {
namespace {

class WorkersRun {
 public:
  WorkersRun(const JobProto& job, const BenchLimits& limits, const RunOptions& options,
             Progress* progress)
      : limits_(limits),
        options_(options),
        process_(options.process),
        groups_(MakeWorkerGroups(job, ThreadsOfWorker(job, options.threads), process_,
                                 {.failed = options.failed})) {
    groups_->Allocate();
    schedule_.emplace(ScheduleOf(job, &groups_->lead()));
    if (const double steps = schedule_->epoch_steps(); steps > 0)
      groups_->lead().replica().SetEpochSteps(steps);
    const FirstValues first = SetFirstValues(job, &groups_->lead(), progress);
    const EndsOnSignal signals(options, "the first step");
    if (process_) MeetOthers(first);
    groups_->WatchStalls([options](const std::string& text) { EndStalled(options, text); });
    groups_->Start(schedule_->steps());
  }

  std::optional<WorkersReport> Run() {
    recorder_.emplace(&groups_->team(0), &clock_, &slices_);
    shares_.emplace(groups_.get(), &*schedule_);
    RunSteps();
    groups_->backend().Settle();
    recorder_.reset();
    std::optional<WorkersReport> report;
    if (!Interrupted()) report = Report();
    if (process_) process_->End();
    if (Interrupted() || !report) return {};
    return WithSteps(*std::move(report), figures_, gradients_);
  }

 private:
  static bool Interrupted() { return InterruptCode() != kExitOk; }

  void MeetOthers(const FirstValues& first) {
    ControlMessage::Begin begin =
        BeginAt(groups_->steps().done(), schedule_->steps(), "", schedule_->epoch_steps());
    *begin.mutable_first_values() = first.ToProto();
    *begin.mutable_alike() = AlikeOf(groups_.get());
    options_.meet();
    Leader* const leader = process_->leader();
    if (options_.partition) leader->TellPartition(ProtoOf(options_.partition->division));
    groups_->backend().TellMemory();
    leader->TellBegin(begin);
  }

  // Ends only after a step up to which others were granted steps.
  void RunSteps() {
    OtherGroups others(groups_.get(), *schedule_, nullptr);
    const auto check = [&] {
      others.Check();
      if (process_) process_->control().Check();
    };
    StepGrants grants(groups_.get(), &*schedule_, 0);
    for (int64_t step = 0; step < schedule_->steps(); ++step) {
      if (step == grants.granted()) {
        if (Enough() || Interrupted()) break;
        recorder_->AwaitRecords([&] {
          check();
          return Interrupted();
        });
      }
      grants.Grant(step, Enough() || Interrupted());
      if (!groups_->steps().gate().Pass(0, step)) {
        check();
        continue;
      }
      recorder_->Step(step);
      shares_->Add(step);
      Note(step);
      groups_->steps().NoteSteps(0, step + 1);
    }
    groups_->steps().Leave(0);
    check();
  }

  // The figures are those of the step before.
  void Note(int64_t step) {
    if (step == limits_.warm_up) start_ = std::chrono::steady_clock::now();
    if (step <= limits_.warm_up) return;
    if (std::ssize(figures_) == limits_.steps) return;  // the steps that others are granted remain
    figures_.push_back(*recorder_->figures());
    gradients_.push_back(recorder_->gradients());
    traces_.Add(recorder_->trace());
  }

  bool Enough() const {
    const int64_t measured = std::ssize(figures_);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    return measured >= limits_.steps ||
           (measured >= limits_.least && took.count() > limits_.seconds);
  }

  // Returns what the other processes have recorded of a step of group 0, from rank 1 on. Each
  // process answers the request for its state by StepRecorder::Record.
  std::vector<RankTrace> TracesOf(int64_t step) {
    std::vector<int64_t> steps = groups_->steps().done();
    steps[0] = step;
    std::vector<RankTrace> traces;
    for (const std::string& text : process_->leader()->CollectStates(steps)) {
      traces.emplace_back();
      const int rank = static_cast<int>(std::ssize(traces));
      if (text.empty() && groups_->plan().topology.ProcessesOf(0).Has(rank))
        LOG(WARNING) << "rank " << rank << " has no trace of step " << step << " any more";
      try {
        traces.back() = ParseRankTrace(text, rank);
      } catch (const DataError& error) {
        LOG(WARNING) << error.what() << "; the trace has no events of this process";
      }
    }
    return traces;
  }

  WorkersReport Report() {
    const WorkerModel& model = groups_->lead().model();
    WorkersReport report;
    report.trace = traces_.Median();
    AddNames(model, &report.trace);
    if (process_ && options_.recorder) report.others = TracesOf(report.trace.step);
    for (const Param* param : model.trained().params)
      report.gradients.push_back({param->name(), param->data.bytes(), {}});
    report.shares = shares_->Means();
    report.sync = TextOf(groups_->plan());
    report.groups = groups_->size();
    report.workers = model.place().workers;
    report.processes = process_ ? process_->part().processes() : 1;
    report.here = groups_->team(0).size();
    report.batch = model.samples_per_step();
    return report;
  }

  const BenchLimits limits_;
  const RunOptions options_;
  JobProcess* const process_;  // null: the job has one process
  const SteadyClock clock_;
  SliceTimes slices_{&clock_};  // the groups' updates call it until they are destroyed
  const std::unique_ptr<WorkerGroups> groups_;
  std::optional<Schedule> schedule_;
  std::optional<TeamRecorder> recorder_;
  std::optional<ProcessShares> shares_;
  std::vector<StepFigures> figures_;
  std::vector<std::vector<GradientTimes>> gradients_;
  StepTraces traces_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

JobProto WorkersJob(const JobProto& job, const BenchLimits& limits) {
  constexpr int64_t kStepsOfRow = 4;         // between two exchanges of ProcessShares
  constexpr int32_t kManySteps = 1'000'000;  // other groups train until group 0 was measured
  JobProto bench = job;
  bench.clear_train_epochs();
  bench.set_train_steps(kManySteps);
  bench.set_disp_freq(static_cast<int32_t>(std::min(kStepsOfRow, limits.steps)));
  bench.set_disp_after(static_cast<int32_t>(limits.warm_up));
  bench.set_checkpoint_freq(0);
  bench.clear_checkpoint_best();
  bench.clear_debug();
  bench.mutable_cluster()->set_max_restarts(0);
  return bench;
}

std::string WhyNotWorkers(const JobProto& job) {
  if (job.gpu_size() > 0) return "their steps are measured on CPUs alone";
  const SyncPlan plan = PlanSync(job);
  if (plan.by_mpi && !IsLaunched())
    return StrCat("cluster.all_reduce.backend: kMpi needs mpirun: mpirun -n ",
                  plan.topology.processes(), " singa bench FILE");
  return "";
}

std::optional<WorkersReport> BenchWorkers(const JobProto& job, const BenchLimits& limits,
                                          const RunOptions& options, Progress* progress) {
  return RunDivided(job, options, progress, [&](const JobProto& divided, const RunOptions& with) {
    return WorkersRun(divided, limits, with, progress).Run();
  });
}

}  // namespace singa
