// These functions find the trained params that a path names. checkpoint_path, -checkpoint and
// `singa ckpt` use them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/checkpoint/checkpoint.h"

namespace singa {

struct TrainedPath {
  enum Kind : uint8_t {
    kCheckpoint,  // a checkpoint's folder: it has a manifest, or its name, or its link's, is
                  // step<N>
    kFolder,      // <workspace>/checkpoint; the path names it or the workspace
    kFile,        // .safetensors, or BlobProtos of SINGA 0.3
  };
  Kind kind = kFile;
  // The path found. It differs from the given path for kFolder, and is .../step<N> if SINGA 0.3's
  // .../step<N>-worker<W> does not exist.
  std::string path;
};

// Classifies `path`. Throws FileError (kExitNoInput) if it does not exist.
TrainedPath FindTrainedPath(const std::string& path);

// Returns the checkpoints that `path` means, newest first; one for kCheckpoint. Throws FileError
// (kExitNoInput) for a file, and if there is none yet.
std::vector<CheckpointEntry> FindCheckpoints(const std::string& path);

// Loads the newest intact checkpoint of a kFolder. Calls `warn` for each damaged one that it skips.
// Throws FileError: kExitNoInput if there is no checkpoint yet, kExitBadData if none is intact.
std::unique_ptr<Checkpoint> LoadNewest(const std::string& path,
                                       const std::function<void(const std::string&)>& warn);

// Returns the checkpoint's folder, or the file, to read parameters from; for a kFolder, the folder
// of LoadNewest. Throws FileError (kExitNoInput) if nothing exists, and the errors of LoadNewest.
std::string FindParams(const std::string& path,
                       const std::function<void(const std::string&)>& warn);

}  // namespace singa
