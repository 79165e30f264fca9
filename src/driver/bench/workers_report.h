// WorkersReport holds the results of `singa bench` for the workers of a job, which it prints as
// text or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/protocol/process_share.h"
#include "driver/bench/rank_trace.h"
#include "driver/bench/team_recorder.h"

namespace singa {

// The gradient of a param; times are medians over the steps.
struct GradientRow {
  std::string param;
  int64_t bytes = 0;
  GradientTimes times = {};
};

struct WorkersReport {
  std::vector<GradientRow> gradients;  // in the order in which they are ready
  StepFigures step;                    // medians over the steps
  double hidden = 0;                   // median share of the communication that is not exposed
  // Means of a step of each process with workers of group 0; at least one.
  std::vector<ProcessShare> shares;
  std::string sync;             // the way of the gradients, for people
  int groups = 1, workers = 1;  // of the job; workers of each group
  int processes = 1, here = 1;  // workers of group 0 in this process
  int64_t batch = 0, steps = 0;
  StepTrace trace = {};                // the step with the median time
  std::vector<RankTrace> others = {};  // of that step in processes from rank 1 on, if asked for

  double bytes_sent() const;  // mean of a step, by all of `shares`
};

// Returns the report of measured steps; figures[i] and gradients[i] are of step i. `report` has the
// rest, and the names and bytes of all params. REQUIRES: there is a step.
WorkersReport WithSteps(WorkersReport report, const std::vector<StepFigures>& figures,
                        const std::vector<std::vector<GradientTimes>>& gradients);

// Returns the share of the communication that a step hides; 1 if nothing was on its way.
double HiddenShare(const StepFigures& step);

std::string WorkersTable(const WorkersReport& report);
// Returns one object per line: one for each gradient and for each process, then the step's.
std::string WorkersJson(const WorkersReport& report);

}  // namespace singa
