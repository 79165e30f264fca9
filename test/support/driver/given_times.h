// GivenTimes stands for measurements of ImageJob: a test gives the times.
#pragma once

#include <string>
#include <vector>

#include "driver/plan/part_times.h"

namespace singa {

// Gives each layer 1 ms, and fc1 30 ms by rows and `units_ms` by units.
class GivenTimes final : public PartTimer {
 public:
  explicit GivenTimes(double units_ms, const ModelError& error = {})
      : units_ms_(units_ms), error_(error) {}
  std::vector<PartTimes> Of(const std::vector<PartRequest>& requests) override {
    std::vector<PartTimes> all;
    for (const PartRequest& request : requests) {
      PartTimes times;
      for (const LayerProto& layer : request.job.neuralnet().layer()) {
        const bool units = layer.partition_dim() == 1;
        const double ms = layer.name() != "fc1" ? 1 : units ? units_ms_ : 30;
        times.layers[layer.name()] = {.forward = ms};
      }
      all.push_back(times);
    }
    return all;
  }
  std::string source() const override { return "given"; }
  ModelError model_error() const override { return error_; }

 private:
  const double units_ms_;
  const ModelError error_;
};

}  // namespace singa
