// CheckpointOf commits a checkpoint of trainers' state, and reads it again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "io/temp_dir.h"
#include "train/state/trainer_state.h"

namespace singa {

// `change`, if there is one, sees each tensor of the updater's and the layers' state before it is
// written.
inline std::unique_ptr<Checkpoint> CheckpointOf(
    const TrainerState& state, int64_t step, const std::string& workspace,
    const std::function<void(StoredTensor*)>& change = nullptr) {
  CheckpointContent content;
  content.step = step;
  content.conf_sha256 = std::string(64, '0');
  state.Save(&content);
  for (StoredTensor& tensor : content.state)
    if (change) change(&tensor);
  PosixFileSystem fs;
  return LoadCheckpoint(WriteCheckpoint(fs, workspace, content));
}

}  // namespace singa
