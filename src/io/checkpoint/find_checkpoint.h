// Finds the trained params that a path names. checkpoint_path, -checkpoint and `singa ckpt` share
// this rule.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/checkpoint/checkpoint.h"

namespace singa {

struct TrainedPath {
  enum Kind : uint8_t {
    kCheckpoint,  // the folder of one: it has a manifest, or is called step<N>; also by a link
    kFolder,      // <workspace>/checkpoint, whether the workspace or this folder was given
    kFile,        // .safetensors, or BlobProtos of SINGA 0.3
  };
  Kind kind = kFile;
  // For kCheckpoint, and for a path .../step<N>-worker<W> of SINGA 0.3 that does not exist, this is
  // .../step<N>.
  std::string path;
};

// Throws FileError (kExitNoInput) where there is nothing.
TrainedPath FindTrainedPath(const std::string& path);

// The checkpoints that `path` means, newest first; one for kCheckpoint. Throws FileError
// (kExitNoInput) for a file, and where there is none yet.
std::vector<CheckpointEntry> FindCheckpoints(const std::string& path);

// For a kFolder: its newest checkpoint that is intact. `warn` hears of each damaged one that is
// passed over. Throws FileError (kExitNoInput): no checkpoint yet, or none that is intact.
std::unique_ptr<Checkpoint> LoadNewest(const std::string& path,
                                       const std::function<void(const std::string&)>& warn);

// The checkpoint's folder, or the file, to read parameters from; for a kFolder, the folder of
// LoadNewest. Throws FileError (kExitNoInput) where there is nothing, and as LoadNewest.
std::string FindParams(const std::string& path,
                       const std::function<void(const std::string&)>& warn);

}  // namespace singa
