// WriteCheckpoint writes checkpoints. After a kill, a crash of the system or a full disk at any
// moment, the newest committed checkpoint is still there.
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

// Writes a checkpoint, and returns its folder when it is committed: complete, visible and on the
// disk. Throws FileError; then nothing has changed, except that step<N> may be the new one. Throws
// ConfigError if two tensors have the same name. REQUIRES: the workspace has one writer.
std::string WriteCheckpoint(FileSystem& fs, const std::string& workspace,
                            const CheckpointContent& content);

// Writes a checkpoint as the folder `dir`, which is on the disk on return. Throws FileError, or
// ConfigError as WriteCheckpoint. Then there is no `dir`, unless only the last sync failed.
// REQUIRES: `dir` does not exist, or is an empty folder.
void WriteCheckpointFolder(FileSystem& fs, const std::string& dir,
                           const CheckpointContent& content);

// Removes entries that a writer or a removal has not finished. If an entry cannot be removed, it
// warns. Throws WriteError if the folder cannot be read. Only the writer of a workspace may call
// it.
void RemoveUnfinished(FileSystem& fs, const std::string& workspace);

}  // namespace singa
