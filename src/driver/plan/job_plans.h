// JobPlans compares ways to divide a job's net over the workers of a cluster.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "driver/plan/division.h"
#include "driver/plan/gradient_modes.h"
#include "driver/plan/job_costs.h"
#include "nn/cost/plan_search.h"
#include "nn/cost/step_cost.h"

namespace singa {

// One way to divide the net, with its predicted costs.
struct JobPlan {
  std::string name;   // "found", "data", "own", "units", "hybrid", "runner_up"
  std::string brief;  // for people
  Division division;
  StepCost cost;
  int64_t memory = 0;      // bytes of a worker
  double measured_ms = 0;  // of a step; 0: not measured
};

struct JobPlans {
  PlanCluster cluster;
  CostNet net;
  std::vector<JobPlan> plans;       // the first is the found one
  std::vector<GradientMode> modes;  // of several hosts, divided as "own", else "found"
  std::string way;                  // how the workers of one host add gradients up (WayOnOneHost)
  PlanFront front;                  // the plans that no other one beats both in time and in memory
  double one_worker_ms = 0;         // a step of one worker with all cores of a host
  std::string source;               // what the times rest on
  ModelError error;                 // of the predicted times
  double spread = 0;                // the largest one of the measured parts (PartTimes::spread)
  OtherPrograms others;             // that disturbed the measurement
  double search_ms = 0;    // time of the search for the fastest plan; the front has its own
  bool fits = true;        // some plan fits into the memory of a worker
  bool exact = true;       // the search has seen all plans
  int grids_left_out = 0;  // grids that no plan tries
  std::string note;        // why the fastest plan was not taken, or a plan is missing; "": neither

  const JobPlan& found() const { return plans.front(); }
  // A gain that is predicted may be none if it is smaller than this share.
  double uncertainty() const { return std::max(error.relative, spread); }
  const JobPlan* Find(const std::string& name) const;
  void AddNote(const std::string& text);
};

// `most_bytes`: memory that a worker may use; 0: any. Throws ConfigError relative to the JobProto.
JobPlans PlanJob(const JobProto& job, const PlanCluster& cluster, const SyncRates& rates,
                 int64_t most_bytes, PartTimer* timer);

}  // namespace singa
