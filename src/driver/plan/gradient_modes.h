// Gradient modes are the ways in which hosts can send each other gradients, whole or compressed
// (cluster.all_reduce.compression), with what a plan predicts for each.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/plan_cluster.h"
#include "nn/cost/cost_net.h"
#include "singa/proto/cluster.pb.h"

namespace singa {

// The bytes and times of a codec for 1 MB of gradients, measured on noise.
struct CodecRates {
  std::string name;     // for people, such as "kTopK, 1 %"
  double gradient = 1;  // its bytes, as a share of whole gradients
  double sum = 1;       // the bytes of a sum over the hosts, as a share of whole values
  // Processor time. decode_ms: to decode, and to add the floats to others; sum_ms: to encode a sum.
  double encode_ms = 0, decode_ms = 0, sum_ms = 0;
};

// Measures float16, and the largest share of numbers that `conf` names, for sums over `hosts`.
// Takes some 10 ms. The bytes of kThreshold depend on the gradients, so it is not among them.
std::vector<CodecRates> MeasureCodecs(const AllReduceProto& conf, int hosts);

struct GradientMode {
  std::string name;
  double step_ms = 0;
  int64_t sent_bytes = 0;  // of a host, in a step
};

// Predicts a step of `net` in `layouts` for each mode, whole gradients first. `send_ms_per_mb`: a
// host's processor time for what goes over its link, which the costs include.
std::vector<GradientMode> PredictModes(const CostNet& net, const Layouts& layouts,
                                       const PlanCluster& cluster,
                                       const std::vector<CodecRates>& codecs,
                                       double send_ms_per_mb);

}  // namespace singa
