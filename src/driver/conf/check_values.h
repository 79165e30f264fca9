// CheckValues checks a JobProto without building its net: ranges, settings that belong together,
// settings without effect. Layers check their own settings in Setup.
#pragma once

#include "driver/facts/conf_findings.h"
#include "singa/proto/job.pb.h"

namespace singa {

inline constexpr int kMaxLayers = 10000;  // of a net

enum class JobUse : uint8_t {
  kTrain,
  kTest,
  kEither,  // to test if the job has neither updater nor steps, else to train
};

// Returns whether `job` is checked as a job that trains.
bool Trains(const JobProto& job, JobUse use);

ConfFindings CheckValues(const JobProto& job, JobUse use);

// The parts of CheckValues; each adds to `found`.
void CheckRanges(const google::protobuf::Message& message, ConfFindings* found);
void CheckSteps(const JobProto& job, JobUse use, ConfFindings* found);
void CheckAlgorithm(const JobProto& job, ConfFindings* found);
void CheckUpdater(const JobProto& job, JobUse use, ConfFindings* found);
void CheckCluster(const JobProto& job, ConfFindings* found);
void CheckParams(const JobProto& job, ConfFindings* found);
void CheckLayers(const JobProto& job, ConfFindings* found);
void WarnWithoutEffect(const google::protobuf::Message& message, ConfFindings* found);

}  // namespace singa
