// Gradient modes are the ways in which hosts can exchange what they train: whole gradients, shorter
// ones (cluster.all_reduce.compression), or outer steps after local ones (cluster.group_sync:
// kOuter), with what a plan predicts for each.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/exchange_form.h"
#include "driver/plan/job_costs.h"
#include "driver/plan/plan_cluster.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns ExchangeForm::last_messages of processes on CPUs.
int CountLastMessages(AllReduceProto::Compression compression);

struct ModeForm {
  std::string name;  // for people, such as "kTopK, 1 %"
  std::string way;   // who adds up, such as "servers" (WayOf)
  ExchangeForm form;
  bool by_rows = false;  // it needs all layers divided by rows
  double exchanges = 1;  // in a step; kOuter: less than 1, or 1
  // The most steps that hide an exchange. They begin no exchange of their own.
  double overlap = 0;
  bool after_backward = false;  // the backward pass hides no part of the exchange
};

// Returns the modes of several hosts, with the settings of the job. Whole gradients come first.
// Modes that the job's backend does not have are left out, and kOuter if sync_freq is 1. GPUs have
// the modes of NCCL. The codecs of hosts without GPUs are measured, which takes some 100 ms. Throws
// ConfigError relative to the JobProto.
std::vector<ModeForm> ModesOf(const JobProto& job, const PlanCluster& cluster,
                              const TrainedShapes& shapes);

// Returns the form of whole gradients on the way that the job takes.
ExchangeForm WholeForm(const JobProto& job, const PlanCluster& cluster,
                       const TrainedShapes& shapes);

// Returns, for people, how the workers of one host add gradients up: "threads (one process)".
std::string WayOnOneHost(const JobProto& job, const PlanCluster& cluster);

// The costs of a mode in a step.
struct GradientMode {
  std::string name = {}, way = {};
  double step_ms = 0;
  double encode_ms = 0;    // a worker encodes and decodes gradients
  double exposed_ms = 0;   // a worker waits for transfers
  double link_ms = 0;      // all transfers, hidden ones as well
  int64_t sent_bytes = 0;  // of a host

  // Returns the rest of a step.
  double compute_ms() const { return step_ms - encode_ms - exposed_ms; }
};

// Predicts a step in `layouts`, or by rows if the mode needs that. `times`: of costs.requests().
GradientMode Predict(const ModeForm& mode, const JobCosts& costs,
                     const std::vector<PartTimes>& times, const Layouts& layouts);

}  // namespace singa
