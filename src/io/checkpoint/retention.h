// Which checkpoints stay: JobProto.checkpoint_keep and checkpoint_best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file/file_system.h"

namespace singa {

// Points <workspace>/checkpoint/best at step<N>: durable, and at no moment without a target.
void SetBest(FileSystem& fs, const std::string& workspace, int64_t step);

// N of the step<N> that `best` names; nothing where there is no such link.
std::optional<int64_t> BestStep(const std::string& workspace);

// Removes checkpoints older than the newest `keep` (0: none) that look complete, counted from
// `step`; later steps are another run's and stay. Never removes the best one.
// REQUIRES: that of `step` is intact: it was just committed, with the sums of what was written, or
// loaded. Its bytes are not read again: all groups wait meanwhile.
// Throws FileError where a checkpoint could not be removed, or may stay as one could not be read.
void ApplyRetention(FileSystem& fs, const std::string& workspace, int64_t step, int64_t keep);

}  // namespace singa
