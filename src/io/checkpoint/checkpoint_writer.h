// Writing checkpoints so that a kill, a crash of the system or a full disk at any moment leaves the
// newest committed one in place.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/checkpoint/manifest.h"
#include "io/checkpoint/stored_tensor.h"

namespace singa {

struct CheckpointContent {
  int64_t step = 0;
  std::string conf_sha256;                  // 64 digits
  std::map<std::string, std::string> conf;  // path -> value
  std::map<std::string, RunValue> run;      // seed, topology, instruction set, build, ...
  std::vector<StoredTensor> params;         // kF32, under plain conf names
  std::vector<StoredTensor> state;          // names as in proto/README.md
};

// Returns the folder when it is committed: complete, visible and on the disk. One writer a
// workspace. Throws FileError, and then nothing has changed but that step<N> may be the new one;
// ConfigError where two tensors have the same name.
std::string WriteCheckpoint(FileSystem& fs, const std::string& workspace,
                            const CheckpointContent& content);

// Removes what a writer or a removal has not finished; what cannot be removed stays, with a
// warning. Throws WriteError where the folder cannot be read. For the one writer of a workspace.
void RemoveUnfinished(FileSystem& fs, const std::string& workspace);

}  // namespace singa
