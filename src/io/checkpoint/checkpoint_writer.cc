#include "io/checkpoint/checkpoint_writer.h"

#include <glog/logging.h>

#include <algorithm>

#include "base/file/sha256.h"
#include "base/file/temporary_name.h"
#include "base/system/failpoint.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/json_text.h"
#include "io/checkpoint/safetensors_writer.h"
#include "io/file/new_folder.h"

namespace singa {
namespace {

void TryRemove(FileSystem& fs, const std::string& path) {
  try {
    fs.RemoveTree(path);
  } catch (const Error& error) {
    LOG(WARNING) << "left behind until the next checkpoint: " << error.what();
  }
}

bool Contains(const std::vector<std::string>& sorted, const std::string& name) {
  return std::binary_search(sorted.begin(), sorted.end(), name);
}

// Completes or undoes the changes that a killed writer began.
void Recover(FileSystem& fs, const std::string& workspace) {
  RemoveUnfinished(fs, workspace);
  const std::string folder = CheckpointFolder(workspace);
  const std::vector<std::string> names = fs.List(folder);
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const auto step = ReplacedStepOf(name);
    if (!step) continue;
    if (Contains(names, StepName(*step))) {
      fs.SyncDirectory(folder);  // step<N> must be on the disk before its predecessor goes
      TryRemove(fs, path);
    } else {
      fs.Rename(path, folder + "/" + StepName(*step));
    }
  }
}

void AddFile(FileSystem& fs, const std::string& dir, const char* name,
             const std::vector<StoredTensor>& tensors, Manifest* manifest) {
  const auto file = fs.Create(dir + "/" + name);
  const FileSums sums = WriteSafetensors(tensors, file.get());
  file->Sync();
  file->Close();
  manifest->files[name] = {sums.bytes, sums.sha256};
  for (const auto& [tensor, crc] : sums.crc32c)
    if (!manifest->crc32c.emplace(tensor, crc).second)
      throw ConfigError("", StrCat("the param's name ", Quote(tensor), " is taken by the state"));
}

void WriteFolder(FileSystem& fs, const std::string& dir, const CheckpointContent& content) {
  fs.MakeDirectories(dir);
  Manifest manifest;
  manifest.step = content.step;
  manifest.conf_sha256 = content.conf_sha256;
  manifest.conf = content.conf;
  manifest.run = content.run;
  AddFile(fs, dir, kModelFile, content.params, &manifest);
  AddFile(fs, dir, kStateFile, content.state, &manifest);
  const std::string text = ManifestText(manifest);
  const auto file = fs.Create(dir + "/" + kManifestFile);
  file->Write(text.data(), text.size());
  file->Sync();
  file->Close();
  fs.SyncDirectory(dir);
}

// Renames `dir` to `target`. One rename cannot replace a folder, so an existing `target` is first
// renamed to `aside`, a name that readers know.
void Publish(FileSystem& fs, const std::string& folder, const std::string& dir,
             const std::string& target, const std::string& aside) {
  const std::string to = folder + "/" + target;
  const bool replaces = Contains(fs.List(folder), target);
  if (replaces) fs.Rename(to, aside);
  SINGA_FAILPOINT("checkpoint_before_rename");
  fs.Rename(dir, to);
  SINGA_FAILPOINT("checkpoint_after_rename");
  fs.SyncDirectory(folder);
  if (replaces) TryRemove(fs, aside);
}

}  // namespace

void WriteCheckpointFolder(FileSystem& fs, const std::string& dir,
                           const CheckpointContent& content) {
  NewFolder folder(&fs, dir);
  WriteFolder(fs, folder.temporary(), content);
  folder.Commit();
}

void RemoveUnfinished(FileSystem& fs, const std::string& workspace) {
  const std::string folder = CheckpointFolder(workspace);
  for (const std::string& name : fs.List(folder))
    if (IsUnfinished(name)) TryRemove(fs, folder + "/" + name);
}

std::string WriteCheckpoint(FileSystem& fs, const std::string& workspace,
                            const CheckpointContent& content) {
  CHECK_GE(content.step, 0);
  CHECK_EQ(content.conf_sha256.size(), 64u);
  const std::string folder = CheckpointFolder(workspace);
  fs.MakeDirectories(folder);
  Recover(fs, workspace);
  const std::string name = StepName(content.step);
  const std::string dir = TemporaryName(folder + "/" + name);
  try {
    WriteFolder(fs, dir, content);
    Publish(fs, folder, dir, name, folder + "/" + name + ".old." + RandomHex(8));
  } catch (...) {
    TryRemove(fs, dir);
    throw;
  }
  return folder + "/" + name;
}

}  // namespace singa
