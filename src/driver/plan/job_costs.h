// JobCosts finds what the layers of a job's net cost when the workers of a cluster divide them by
// rows or by units.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/plan/part_times.h"
#include "driver/plan/unit_layers.h"
#include "nn/cost/cost_net.h"
#include "singa/proto/job.pb.h"
#include "train/trainer/worker_model.h"

namespace singa {

// The speed at which workers exchange bytes. The defaults are of a machine with two cores: a bridge
// between two threads, and the copies, checksums and socket calls of servers.
struct SyncRates {
  double copy_gb_per_s = 10;  // of one worker that copies from another one of its host
  double meeting_us = 20;     // of such an exchange, besides its bytes
  double send_ms_per_mb = 1;  // of a host's cores, for what goes over its link
};

class JobCosts {
 public:
  // Throws ConfigError relative to the JobProto.
  JobCosts(const JobProto& job, const PlanCluster& cluster, const SyncRates& rates);

  // Returns the parts whose times the costs rest on: by rows, and by units as far as possible.
  const std::vector<PartRequest>& requests() const { return requests_; }
  // Returns the net. `times`: of each request.
  CostNet Net(const std::vector<PartTimes>& times) const;

 private:
  // The memory of a layer, and its params that train.
  struct LayerMemory {
    int64_t features = 0, gradients = 0;
    int64_t trained = 0;   // bytes of values, of the worker's own rows
    bool divided = false;  // its params are divided over the workers
  };
  using Memory = std::map<std::string, LayerMemory>;  // by the layer's name

  void AddPart(const JobProto& job, const UnitLayers& by_units);
  static Memory MemoryOf(const WorkerModel& model);
  LayerCost CostOf(const LayerTimes& times, const LayerMemory& memory) const;
  BridgeRates Bridges() const;
  double LinkMsPerMb() const { return 8 / cluster_.link_gbit; }

  const PlanCluster cluster_;
  const SyncRates rates_;
  UnitLayers by_units_;
  std::vector<CostLayer> layers_;  // without costs
  std::vector<PartRequest> requests_;
  std::vector<Memory> memory_;  // of each request
};

}  // namespace singa
