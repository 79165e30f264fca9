// AutoPartition is the choice of partition: kAuto: how the workers of a group divide the layers.
#pragma once

#include <cstdint>
#include <string>

#include "driver/plan/division.h"
#include "driver/plan/job_plans.h"
#include "singa/proto/job.pb.h"

namespace singa {

struct AutoPartition {
  Division division;
  int workers = 0;  // of the group
  std::string why;  // the reason for people; "": the choice is the fastest plan found
  // The time of a step, in ms, as the cost model predicts it for this choice and for data
  // parallelism, which divides all layers by rows.
  double predicted_ms = 0, predicted_data_ms = 0;
  double measured_ms = 0, measured_data_ms = 0;  // of first steps; 0: not measured
  int64_t predicted_bytes = 0;                   // memory of a worker
  // The fastest plan by prediction, if it was not 2 % faster in the trial; else tried_ms is 0.
  Division tried;
  double tried_ms = 0, tried_predicted_ms = 0;
};

// Chooses for the workers of `cluster`. `most_bytes`: memory that a worker may use. `measure`: the
// workers are threads of this process, and both plans train for some steps before one is chosen.
// `timer`: of the parts of this machine. Throws as PlanJob does.
AutoPartition ChoosePartition(const JobProto& job, const PlanCluster& cluster, int64_t most_bytes,
                              bool measure, PartTimer* timer);

// Returns the choice after a trial: both plans are measured.
AutoPartition DecideByTrial(const JobPlans& plans, const JobPlan& fastest, const JobPlan& data);

// Returns the choice for people.
std::string Describe(const AutoPartition& partition);

}  // namespace singa
