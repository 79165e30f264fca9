#include "io/checkpoint/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "base/file/crc32c.h"
#include "base/file/input_file.h"
#include "base/file/sha256.h"
#include "base/file/which_file.h"
#include "io/checkpoint/checkpoint_names.h"
#include "io/checkpoint/json_text.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

using Damage = std::vector<std::string>;

constexpr int64_t kMaxManifestBytes = 256 << 20;

Manifest ReadManifest(const std::string& dir) {
  const std::string path = dir + "/" + kManifestFile;
  const std::vector<uint8_t> bytes = InputFile::Open(path).ReadAll(kMaxManifestBytes);
  Manifest manifest =
      ParseManifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  for (const char* name : {kModelFile, kStateFile})
    if (!manifest.files.count(name)) throw DataError(path, -1, StrCat("does not list ", name));
  const std::string folder = fs::path(dir).lexically_normal().filename().string();
  const auto step = StepOf(folder);
  if (step && *step != manifest.step)
    throw DataError(path, -1, StrCat("is of step ", manifest.step, ", its folder is ", folder));
  return manifest;
}

// Adds the damage of a file's tensors. `bytes_match`: the file's bytes are as written.
void CheckTensors(const Safetensors& view, const Manifest& manifest, bool bytes_match,
                  Damage* damage) {
  const size_t before = damage->size();
  for (const StoredTensor& tensor : view.tensors()) {
    const auto crc = manifest.crc32c.find(tensor.name);
    if (crc == manifest.crc32c.end())
      damage->push_back(
          StrCat(view.file(), ": tensor ", Quote(tensor.name), ": not in the manifest"));
    else if (Crc32c(tensor.data, tensor.bytes()) != crc->second)
      damage->push_back(
          StrCat(view.file(), ": tensor ", Quote(tensor.name), ": its CRC32C does not match"));
  }
  if (!bytes_match && damage->size() == before)
    damage->push_back(view.file() + ": its header is altered (SHA-256 does not match)");
}

constexpr int kMostLooks = 100;  // attempts while a running job removes checkpoints

enum class Check { kHeaders, kAllBytes };

std::unique_ptr<SafetensorsFile> OpenFile(const std::string& dir, const char* name,
                                          const Manifest& manifest, Check check, Damage* damage) {
  const std::string path = dir + "/" + name;
  const Manifest::File& expected = manifest.files.at(name);
  try {
    MappedFile file(path);
    const std::span<const std::byte> bytes = file.bytes();
    if (static_cast<int64_t>(bytes.size()) != expected.bytes) {
      damage->push_back(StrCat(path, ": has ", bytes.size(), " bytes, must have ", expected.bytes));
      return nullptr;
    }
    if (check == Check::kHeaders) return std::make_unique<SafetensorsFile>(std::move(file));
    const bool bytes_match = Sha256Hex(bytes.data(), bytes.size()) == expected.sha256;
    auto tensors = std::make_unique<SafetensorsFile>(std::move(file));
    CheckTensors(tensors->view(), manifest, bytes_match, damage);
    return tensors;
  } catch (const FileError& error) {
    if (error.code() != kExitNoInput) throw;
    damage->push_back(error.what());
  } catch (const DataError& error) {
    damage->push_back(error.what());
  }
  return nullptr;
}

// Returns nullptr and sets `damage` if the checkpoint is damaged.
std::unique_ptr<Checkpoint> Open(const std::string& dir, Check check, Damage* damage) {
  std::error_code error;
  if (!fs::is_directory(dir, error))
    throw FileError(error == std::errc::permission_denied ? kExitNoPermission : kExitNoInput, dir,
                    "is not the folder of a checkpoint");
  Manifest manifest;
  try {
    manifest = ReadManifest(dir);
  } catch (const NewerFormatError&) {
    throw;
  } catch (const Error& manifest_error) {
    if (manifest_error.code() != kExitNoInput && manifest_error.code() != kExitBadData) throw;
    damage->push_back(manifest_error.what());
    return nullptr;
  }
  auto params = OpenFile(dir, kModelFile, manifest, check, damage);
  auto state = OpenFile(dir, kStateFile, manifest, check, damage);
  if (!damage->empty()) return nullptr;
  for (const auto& [name, crc] : manifest.crc32c)
    if (!params->view().Find(name) && !state->view().Find(name))
      damage->push_back(StrCat(dir, ": tensor ", Quote(name), ": in the manifest but in no file"));
  if (!damage->empty()) return nullptr;
  return std::make_unique<Checkpoint>(dir, std::move(manifest), std::move(*params),
                                      std::move(*state));
}

std::string Join(const Damage& damage) {
  constexpr size_t kMaxLines = 5;
  std::string text;
  for (size_t i = 0; i < std::min(damage.size(), kMaxLines); ++i)
    text += (i ? "; " : "") + damage[i];
  if (damage.size() > kMaxLines) text += StrCat("; and ", damage.size() - kMaxLines, " more");
  return text;
}

std::unique_ptr<Checkpoint> OpenOrThrow(const std::string& dir, Check check) {
  Damage damage;
  auto checkpoint = Open(dir, check, &damage);
  if (!checkpoint) throw DataError(dir, -1, "damaged: " + Join(damage));
  return checkpoint;
}

// Sets `changed` if a running job removed an entry meanwhile. Another checkpoint exists then.
std::vector<CheckpointEntry> List(const std::string& folder, bool* changed) {
  std::map<int64_t, std::string, std::greater<>> dirs, replaced;
  std::error_code error, ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with("step")) continue;
    if (!HasCheckpointFile(it->path().string()).value_or(true)) {
      if (!fs::exists(fs::symlink_status(it->path(), ignored))) *changed = true;
      continue;
    }
    if (const auto step = StepOf(name)) dirs[*step] = it->path().string();
    if (const auto step = ReplacedStepOf(name)) replaced[*step] = it->path().string();
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw FileError(error == std::errc::permission_denied ? kExitNoPermission : kExitIo, folder,
                    error.message());
  dirs.merge(replaced);
  std::vector<CheckpointEntry> entries;
  for (const auto& [step, dir] : dirs) entries.push_back({step, dir});
  return entries;
}

// Returns the newest intact checkpoint. `passed` names the entries that are not intact. Sets
// `changed` if a running job removed or replaced an entry meanwhile: then missing or damaged
// checkpoints may be due to that.
std::unique_ptr<Checkpoint> Look(const std::string& folder, std::vector<std::string>* passed,
                                 bool* changed) {
  for (const std::string& stray : StrayEntries(folder))
    passed->push_back(StrCat(stray, " is passed over: it is no checkpoint"));
  for (const CheckpointEntry& entry : ListCheckpointFolder(folder)) {
    const std::string which = WhichFile(entry.dir);
    Damage damage;
    try {
      if (auto checkpoint = Open(entry.dir, Check::kAllBytes, &damage)) return checkpoint;
    } catch (const FileError& error) {
      if (error.code() != kExitNoInput && error.code() != kExitNoPermission) throw;
      damage.push_back(error.what());
    }
    if (which.empty() || WhichFile(entry.dir) != which) *changed = true;
    passed->push_back(StrCat("checkpoint of step ", entry.step, " is passed over: ", Join(damage)));
  }
  return nullptr;
}

}  // namespace

const StoredTensor* FindAverage(const Checkpoint& checkpoint, const std::string& param) {
  const Safetensors& state = checkpoint.state();
  const std::string prefix = "updater/" + param + "/";
  const StoredTensor* const average = state.Find(prefix + kAverageState);
  if (!average || !state.Find(prefix + "count")) return nullptr;
  return state.Values<int64_t>(prefix + "count", Shape())[0] > 0 ? average : nullptr;
}

std::optional<bool> HasCheckpointFile(const std::string& dir) {
  std::error_code error;
  if (!fs::is_directory(dir, error)) return false;
  for (const char* name : {kManifestFile, kModelFile, kStateFile}) {
    if (fs::exists(dir + "/" + name, error)) return true;
    if (error) return std::nullopt;
  }
  return false;
}

std::string CheckpointFolder(const std::string& workspace) {
  return (fs::path(workspace) / "checkpoint").string();
}

std::vector<std::string> StrayEntries(const std::string& folder) {
  std::vector<std::string> strays;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with("step") || IsUnfinished(name) || ReplacedStepOf(name)) continue;
    const bool named = StepOf(name).has_value();
    // A running job may have removed the entry since.
    const bool there = fs::exists(fs::symlink_status(it->path(), error));
    if (!named || (there && !HasCheckpointFile(it->path().string()).value_or(true)))
      strays.push_back(it->path().string());
  }
  std::sort(strays.begin(), strays.end());
  return strays;
}

std::vector<CheckpointEntry> ListCheckpointFolder(const std::string& folder) {
  for (int look = 1;; ++look) {
    bool changed = false;
    std::vector<CheckpointEntry> entries = List(folder, &changed);
    if (!entries.empty() || !changed || look == kMostLooks) return entries;
  }
}

std::vector<std::string> VerifyCheckpoint(const std::string& dir) {
  Damage damage;
  Open(dir, Check::kAllBytes, &damage);
  return damage;
}

std::unique_ptr<Checkpoint> LoadCheckpoint(const std::string& dir) {
  return OpenOrThrow(dir, Check::kAllBytes);
}

std::unique_ptr<Checkpoint> OpenCheckpoint(const std::string& dir) {
  return OpenOrThrow(dir, Check::kHeaders);
}

std::unique_ptr<Checkpoint> NewestValid(const std::string& workspace,
                                        const std::function<void(const std::string&)>& warn) {
  return NewestValidIn(CheckpointFolder(workspace), warn);
}

std::unique_ptr<Checkpoint> NewestValidIn(const std::string& folder,
                                          const std::function<void(const std::string&)>& warn) {
  for (int look = 1;; ++look) {
    std::vector<std::string> passed;
    bool changed = false;
    std::unique_ptr<Checkpoint> found = Look(folder, &passed, &changed);
    if (!found && changed && look < kMostLooks) continue;
    for (const std::string& text : passed) warn(text);
    return found;
  }
}

bool LooksComplete(const std::string& dir) {
  try {
    for (const auto& [name, file] : ReadManifest(dir).files)
      if (InputFile::Open(dir + "/" + name).size() != file.bytes) return false;
    return true;
  } catch (const DataError&) {
    return false;
  } catch (const FileError& error) {
    if (error.code() == kExitNoInput) return false;
    throw;
  }
}

}  // namespace singa
