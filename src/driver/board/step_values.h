// The numbers that rows of train, test and validate have beside a layer's metrics
// (proto/README.md, "Rows of metrics"), and their names in /metrics.
#pragma once

#include <string_view>

namespace singa {

struct StepValue {
  std::string_view field;
  std::string_view metric;  // without singa_
  double scale;             // to the base unit
  std::string_view help;
};

inline constexpr StepValue kStepValues[] = {
    {"samples_per_second", "samples_per_second", 1, "Records trained in a second."},
    {"step_ms", "step_duration_seconds", 1e-3, "Mean time of a step."},
    {"data_wait_ms", "data_wait_seconds", 1e-3, "Mean time that a step waited for records."},
    {"lr", "learning_rate", 1, "Learning rate of the last step."},
    {"epoch", "epoch", 1, "Passes over the training store that are done."},
    {"grad_norm", "gradient_norm", 1, "Norm of the last step's gradient before it was bounded."},
    {"memory_mb", "memory_bytes", 1e6, "Memory of the group's processes."},
    {"predicted_step_ms", "predicted_step_duration_seconds", 1e-3,
     "Time of a step that the cost model predicts."},
    {"predicted_memory_mb", "predicted_memory_bytes", 1e6, "Memory as planned before the start."},
    {"staleness_mean", "staleness_mean", 1, "Mean staleness of updates, in steps."},
    {"staleness_max", "staleness_max", 1, "Largest staleness of updates, in steps."},
    {"bad_records", "bad_records_total", 1, "Records that were skipped."},
    {"bytes_sent", "bytes_sent_total", 1, "Bytes sent by the group's processes."},
};

// Returns whether a field says where a row belongs, and is no metric or value.
inline bool IsPlaceField(std::string_view field) {
  for (const std::string_view place :
       {"time", "phase", "step", "group", "layer", "host", "pid", "rank"})
    if (field == place) return true;
  return false;
}

inline const StepValue* FindStepValue(std::string_view field) {
  for (const StepValue& value : kStepValues)
    if (value.field == field) return &value;
  return nullptr;
}

}  // namespace singa
