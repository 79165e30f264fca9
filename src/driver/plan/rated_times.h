// RatedTimes computes the times of layers from the speed of a machine that a file describes: the
// longer one of a layer's operations and of its bytes (a roofline).
#pragma once

#include <string>
#include <vector>

#include "driver/plan/part_times.h"
#include "singa/nn/net_node.h"
#include "singa/proto/machine.pb.h"

namespace singa {

class RatedTimes final : public PartTimer {
 public:
  explicit RatedTimes(MachineProto machine) : machine_(std::move(machine)) {}
  std::vector<PartTimes> Of(const std::vector<PartRequest>& requests) override;
  std::string source() const override;

 private:
  PartTimes Of(const PartRequest& request) const;
  LayerTimes TimesOf(const NetNode& node, int64_t states, const PlanCluster& cluster) const;

  const MachineProto machine_;
};

}  // namespace singa
