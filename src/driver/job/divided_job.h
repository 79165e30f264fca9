// DividedJob is a job with partition: kAuto after the choice of how layers are divided.
#pragma once

#include <optional>
#include <string>

#include "driver/job/run_job.h"
#include "driver/plan/auto_partition.h"
#include "driver/workspace/progress.h"
#include "singa/proto/wire.pb.h"

namespace singa {

// Returns whether the cost model chooses partition_dim of the job's layers.
bool ChoosesPartition(const JobProto& job);

// Returns the choice for a job that runs with `options`. A resumed run keeps the choice of its
// workspace, if that is for as many workers. REQUIRES: ChoosesPartition(job). Throws as
// ChoosePartition does.
AutoPartition FindPartition(const JobProto& job, const RunOptions& options, Progress* progress);

// Returns the predicted time of a step in ms, of the choice or of a plan that was made here before;
// none: there is no such plan, or the model leaves out what the job does (one worker, several
// groups, GPUs, hosts that compress gradients).
std::optional<double> PredictedMs(const JobProto& job, const RunOptions& options);

// Sets partition_dim of each layer.
void Divide(const AutoPartition& partition, JobProto* job);

// Returns run(job, options). If the job has partition: kAuto, both have the chosen division.
template <typename Run>
auto RunDivided(const JobProto& job, const RunOptions& options, Progress* progress,
                const Run& run) {
  if (!ChoosesPartition(job)) return run(job, options);
  const AutoPartition partition = FindPartition(job, options, progress);
  JobProto divided = job;
  Divide(partition, &divided);
  RunOptions with = options;
  with.partition = &partition;
  return run(divided, with);
}

// These convert a division to what rank 0 tells the others, and back.
ControlMessage::Partition ProtoOf(const Division& division);
Division DivisionOf(const ControlMessage::Partition& told);

// Returns the file of a workspace that has the choice.
std::string PartitionFile(const std::string& workspace);

}  // namespace singa
