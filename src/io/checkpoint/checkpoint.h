// These functions find and read checkpoints on disk, <workspace>/checkpoint/step<N>/. Those of
// a workspace are checked, every byte of the three files, before any is used.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/checkpoint/manifest.h"
#include "io/checkpoint/safetensors.h"

namespace singa {

inline constexpr char kModelFile[] = "model.safetensors";
inline constexpr char kStateFile[] = "state.safetensors";
inline constexpr char kManifestFile[] = "manifest.json";
// Name of a param's average of its values among the states of the updater.
inline constexpr char kAverageState[] = "ema_decay";

// An intact checkpoint. Its folder may be removed while it is in use.
class Checkpoint {
 public:
  Checkpoint(std::string dir, Manifest manifest, SafetensorsFile params, SafetensorsFile state)
      : dir_(std::move(dir)),
        manifest_(std::move(manifest)),
        params_(std::move(params)),
        state_(std::move(state)) {}

  const std::string& dir() const { return dir_; }
  int64_t step() const { return manifest_.step; }
  const Manifest& manifest() const { return manifest_; }
  const Safetensors& params() const { return params_.view(); }
  const Safetensors& state() const { return state_.view(); }

 private:
  std::string dir_;
  Manifest manifest_;
  SafetensorsFile params_, state_;
};

// Returns the average of the values of `param`, which ema_decay keeps in the checkpoint's state;
// null: it has none, or no update has changed the param.
const StoredTensor* FindAverage(const Checkpoint& checkpoint, const std::string& param);

struct CheckpointEntry {
  int64_t step = 0;
  std::string dir;
};

// Returns <workspace>/checkpoint.
std::string CheckpointFolder(const std::string& workspace);
// Returns whether `dir` is a folder with one of a checkpoint's files; nullopt: it cannot be read.
std::optional<bool> HasCheckpointFile(const std::string& dir);
// Returns the entries of a checkpoint folder that only look like checkpoints: a file, an empty
// folder, a dangling link, a name such as step007. Paths, sorted.
std::vector<std::string> StrayEntries(const std::string& folder);
// Returns the checkpoints of a checkpoint folder, intact or not, newest first; none if it is
// missing.
std::vector<CheckpointEntry> ListCheckpointFolder(const std::string& folder);
inline std::vector<CheckpointEntry> ListCheckpoints(const std::string& workspace) {
  return ListCheckpointFolder(CheckpointFolder(workspace));
}

// Returns a line for each damage in `dir`, naming file and tensor; empty: every byte is as written.
// Throws NewerFormatError, or FileError if `dir` is missing or may not be read.
std::vector<std::string> VerifyCheckpoint(const std::string& dir);

// Loads a checkpoint. Throws DataError with the damage, and the errors of VerifyCheckpoint.
std::unique_ptr<Checkpoint> LoadCheckpoint(const std::string& dir);
// Loads all but the values of the tensors, which are not read and may be damaged.
std::unique_ptr<Checkpoint> OpenCheckpoint(const std::string& dir);

// Returns the newest intact checkpoint, or nullptr. Calls `warn` for each damaged checkpoint and
// each stray entry that it skips. A job may remove old checkpoints meanwhile. Throws
// NewerFormatError for a newer program's checkpoint instead of skipping it.
std::unique_ptr<Checkpoint> NewestValid(const std::string& workspace,
                                        const std::function<void(const std::string&)>& warn);
// Like NewestValid, for the path of a checkpoint folder.
std::unique_ptr<Checkpoint> NewestValidIn(const std::string& folder,
                                          const std::function<void(const std::string&)>& warn);

// Returns whether the manifest of `dir` is intact and its files have the right sizes. Throws
// FileError if the system cannot read them.
bool LooksComplete(const std::string& dir);

}  // namespace singa
