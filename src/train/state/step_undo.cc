#include "train/state/step_undo.h"

#include <algorithm>

namespace singa {

void StepUndo::FindTensors() {
  for (NetNode& node : trainer_.model().net().nodes()) {
    for (Buffer& buffer : node.declared().buffers)
      if (buffer.keep == Keep::kForever) tensors_.push_back({&buffer.tensor, {}});
    for (Param* param : node.declared().params)
      if (param->maintained()) tensors_.push_back({&param->host(), {}});
  }
}

void StepUndo::Keep() {
  if (tensors_.empty()) FindTensors();
  for (Kept& kept : tensors_)
    kept.values.assign(kept.tensor->data(), kept.tensor->data() + kept.tensor->size());
  const NetReaders readers = trainer_.model().readers();
  positions_ = readers.positions();
  bad_records_ = readers.BadRecords();
  metrics_ = trainer_.metrics().Numbers();
}

void StepUndo::Restore() {
  for (Kept& kept : tensors_) std::ranges::copy(kept.values, kept.tensor->data());
  NetReaders readers = trainer_.model().readers();
  for (const auto& [layer, position] : positions_) readers.RestoreBadRecords(layer, {});
  for (const auto& [layer, records] : bad_records_) readers.RestoreBadRecords(layer, records);
  readers.Seek(positions_);
  trainer_.metrics().SetNumbers(metrics_);
}

}  // namespace singa
