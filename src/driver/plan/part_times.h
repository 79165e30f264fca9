// PartTimes are the times of the layers of one worker's part of a net while all workers of its host
// compute theirs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/plan/plan_cluster.h"
#include "driver/timing/step_timer.h"
#include "singa/proto/job.pb.h"

namespace singa {

// The cores that other programs used during a measurement, and those of the machine.
struct OtherPrograms {
  double used = 0;
  int of = 0;  // 0: not known, or they left enough cores free
};

struct PartTimes {
  std::map<std::string, LayerTimes> layers;  // by the layer's name in the conf
  double rest_ms = 0;                        // of a step, besides its layers and bridges
  // The relative difference of repeated measurements from their median; half of them differ by
  // less.
  double spread = 0;
  OtherPrograms others;

  double step_ms() const {  // without bridges
    double ms = rest_ms;
    for (const auto& [name, layer] : layers) ms += layer.sum();
    return ms;
  }
};

// A job whose layers say how they are divided (partition_dim), and its workers.
struct PartRequest {
  JobProto job;
  PlanCluster cluster;
};

// How far predicted times of steps are from measured ones, relative to these.
struct ModelError {
  double relative = 0.05;  // half of the predictions are closer; test/bench/plan_accuracy.py
  int plans = 0;           // that were measured for it; 0: it is assumed
};

class PartTimer {
 public:
  virtual ~PartTimer() = default;
  // Returns the times of a worker's part, for each request.
  virtual std::vector<PartTimes> Of(const std::vector<PartRequest>& requests) = 0;
  // Returns, for people, what the times rest on.
  virtual std::string source() const = 0;
  virtual ModelError model_error() const { return {}; }
};

}  // namespace singa
