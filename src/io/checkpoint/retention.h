// These functions implement JobProto.checkpoint_keep and checkpoint_best.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file/file_system.h"

namespace singa {

// Points <workspace>/checkpoint/best at step<N>, durably. The link exists with a target at every
// moment.
void SetBest(FileSystem& fs, const std::string& workspace, int64_t step);

// Returns N of the step<N> that `best` names; nullopt if there is no such link.
std::optional<int64_t> BestStep(const std::string& workspace);

// Removes checkpoints that are older than the newest `keep` complete ones up to `step`; keep 0
// removes none. Later steps belong to another run and stay, as does the best one. Does not read the
// checkpoint's bytes again, as all groups wait meanwhile. Throws FileError if a checkpoint could
// not be removed or not be read. REQUIRES: the checkpoint of `step` is intact: it was just
// committed or loaded.
void ApplyRetention(FileSystem& fs, const std::string& workspace, int64_t step, int64_t keep);

}  // namespace singa
