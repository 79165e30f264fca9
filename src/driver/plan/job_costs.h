// JobCosts finds what the layers of a job's net cost when the workers of a cluster divide them in
// each of the ways that plans try.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "driver/plan/division.h"
#include "driver/plan/exchange_form.h"
#include "driver/plan/part_times.h"
#include "driver/plan/trained_shapes.h"
#include "nn/cost/cost_net.h"
#include "singa/proto/job.pb.h"
#include "train/trainer/worker_model.h"

namespace singa {

// The speed at which workers exchange bytes. The defaults are of a machine with two cores: a bridge
// between two threads, and the copies, checksums, sums and socket calls of servers. Two processes
// that send 33.5 MB a step by tcp, each on one core, take 2.1 ms a MB longer than alone
// (test/bench/results.md, processes that send all by tcp). If they send almost nothing, a step
// still takes 1 to 2 ms longer.
struct SyncRates {
  double copy_gb_per_s = 10;  // of one worker that copies from another one of its host
  double meeting_us = 20;     // of such an exchange, besides its bytes
  double send_ms_per_mb = 2;  // of a host's cores, for what goes over its link
  double message_us = 500;    // of a message that a step waits for, besides its bytes and the link
};

class JobCosts {
 public:
  // Throws ConfigError relative to the JobProto.
  JobCosts(const JobProto& job, const PlanCluster& cluster, const SyncRates& rates);

  // Returns the parts whose times the costs rest on: all layers by rows, then as many as possible
  // in each other layout.
  const std::vector<PartRequest>& requests() const { return requests_; }
  const TrainedShapes& trained() const { return trained_; }
  // Returns the net. `times`: of each request; `form`: what hosts exchange for gradients.
  CostNet Net(const std::vector<PartTimes>& times, const ExchangeForm& form = {}) const;
  // Returns the part of a step that waits for the form's last messages.
  double EndMs(const ExchangeForm& form) const;

 private:
  // Params of a layer that train and have equally many contributors (Param::contributors).
  struct ParamMemory {
    int64_t trained = 0;    // bytes of values, of the worker's own rows
    int64_t gradients = 0;  // bytes that are stored
    bool whole = false;     // each worker computes the layer, and the first one's gradient counts
  };
  struct LayerMemory {
    int64_t features = 0;
    CostOutput stages = {0, false};     // the feature between its stages
    std::map<int, ParamMemory> params;  // by contributors
    int64_t trained() const;
    int64_t gradients() const;
    bool whole() const { return !params.empty() && params.begin()->second.whole; }
  };
  using Memory = std::map<std::string, LayerMemory>;  // by the layer's name
  struct Part {
    Layout layout;
    std::set<std::string> layers;  // in this layout; by rows: unused
    Memory memory;
  };

  void AddPart(const JobProto& job, const Layout& layout, const std::set<std::string>& layers);
  static Memory MemoryOf(const WorkerModel& model);
  LayerCost CostOf(const LayerTimes& times, const LayerMemory& memory, const Layout& layout,
                   const ExchangeForm& form) const;
  void AddStages(const CostOutput& output, const Layout& layout, LayerCost* cost) const;
  void AddSums(int contributors, const ParamMemory& memory, const ExchangeForm& form,
               LayerCost* cost) const;
  void AddServers(double bytes, double of_host, LayerCost* cost) const;
  void AddExchange(double bytes, int hosts, const ExchangeForm& form, LayerCost* cost) const;
  void AddSent(double bytes, LayerCost* cost) const;
  BridgeRates Bridges() const;
  double LinkMsPerMb() const { return 8 / cluster_.link_gbit; }

  const PlanCluster cluster_;
  const SyncRates rates_;
  std::vector<CostLayer> layers_;  // without costs
  TrainedShapes trained_;
  std::vector<PartRequest> requests_;
  std::vector<Part> parts_;  // of each request
};

}  // namespace singa
