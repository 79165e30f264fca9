// TrainingStart gives a training its first values, those of a checkpoint or new ones, and tells the
// other processes where they start. One thread of rank 0 uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/workers/worker_groups.h"
#include "driver/job/first_values.h"
#include "driver/job/job_checkpoints.h"
#include "driver/job/previous_run.h"
#include "driver/job/run_job.h"
#include "driver/job/schedule.h"
#include "driver/workspace/progress.h"
#include "driver/workspace/workspace.h"
#include "singa/proto/job.pb.h"
#include "singa/proto/wire.pb.h"

namespace singa {

class TrainingStart {
 public:
  // All arguments must outlive it.
  TrainingStart(const JobProto& job, const Workspace& workspace, WorkerGroups* groups,
                JobCheckpoints* checkpoints, Progress* progress)
      : job_(job),
        groups_(*groups),
        checkpoints_(*checkpoints),
        progress_(*progress),
        previous_(workspace) {}

  // Sets the values, and sets aside the files of an earlier run if this one does not resume it.
  void LoadValues(const RunOptions& options);
  // Waits until all processes have come together. REQUIRES: the job has several.
  void MeetOthers(const RunOptions& options);
  // Tells the other processes, if there are any, their first step and values, and the user that the
  // job was resumed. REQUIRES: MeetOthers has returned, if there are others.
  void Tell();
  // Puts the files of the earlier run back, if this run has left nothing.
  void PutPreviousRunBack(const Error& why) { previous_.PutBackAfter(why, &progress_); }

  // The schedule and the first step. REQUIRES: LoadValues has returned.
  const Schedule& schedule() const { return *schedule_; }
  int64_t step() const { return step_; }

 private:
  void TellOthers();
  void WarnOfLongSteps();
  std::string PassesText() const;
  void Begin(const JobProto& job);

  const JobProto& job_;
  WorkerGroups& groups_;
  JobCheckpoints& checkpoints_;
  Progress& progress_;
  PreviousRun previous_;
  std::optional<Schedule> schedule_;
  int64_t step_ = 0;
  std::optional<FirstValues> first_;                    // not set: the run was resumed
  ControlMessage::Begin begin_;                         // what TellOthers tells
  std::optional<ControlMessage::Partition> partition_;  // not set: as the conf says
};

}  // namespace singa
