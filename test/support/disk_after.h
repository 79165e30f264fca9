// DiskAfter makes folders that a disk may hold when power is lost. Changes of names are safe once
// their folder was synced. Later changes may all be lost, or all remain, or remain up to some
// moment (a journal), or remain singly if their name is found. A rename is one change. A file keeps
// its synced bytes. Later writes to it remain in part, the last one torn, or are zeros. After ALICE
// (Pillai et al., OSDI 2014) and CrashMonkey (Mohan et al., OSDI 2018).
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/recorded_files.h"

namespace singa {

enum class Lost { kAllUnsynced, kUnsyncedData, kNothing, kSinceAMoment, kAny };

// DiskLog is a log that knows, for each change of names, the operation that made it safe.
class DiskLog {
 public:
  using Op = DiskOperation;
  explicit DiskLog(const std::vector<Op>& log) : log_(log), safe_at_(log.size(), log.size()) {
    for (size_t i = log.size(); i-- > 0;)
      if (log[i].kind == Op::kSyncFolder)
        for (size_t j = 0; j < i; ++j)
          if (IsName(log[j]) && Touches(log[j], log[i].path)) safe_at_[j] = i;
  }
  const std::vector<Op>& log() const { return log_; }
  // Returns whether the change is certainly on the disk after the first `count` operations.
  bool IsSafe(size_t change, size_t count) const { return safe_at_[change] < count; }

  static bool IsName(const Op& op) {
    return op.kind == Op::kCreate || op.kind == Op::kRename || op.kind == Op::kMakeFolder ||
           op.kind == Op::kRemove || op.kind == Op::kLink;
  }

 private:
  static std::string FolderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }
  static bool Touches(const Op& op, const std::string& folder) {
    return FolderOf(op.path) == folder || (op.kind == Op::kRename && FolderOf(op.target) == folder);
  }
  const std::vector<Op>& log_;
  std::vector<size_t> safe_at_;
};

class DiskAfter {
 public:
  // Makes the state after the first `count` operations of the log.
  DiskAfter(const DiskLog& disk, size_t count, Lost lost, uint32_t seed) : random_(seed) {
    const std::vector<Op>& log = disk.log();
    const std::vector<bool> kept = KeptNames(disk, count, lost);
    for (size_t i = 0; i < count; ++i)
      if (kept[i]) Apply(log[i]);
    for (const auto& [path, entry] : names_)
      if (entry.file >= 0 && !bytes_.count(entry.file))
        bytes_[entry.file] = BytesOf(log, count, entry.file, lost);
  }

  // Writes the state into the empty folder `to`, which stands for `root`.
  void Store(const std::string& root, const std::string& to) const {
    namespace fs = std::filesystem;
    for (const auto& [path, entry] : names_) {  // a folder comes before what is in it
      const std::string place = to + path.substr(root.size());
      if (!fs::exists(fs::path(place).parent_path())) continue;  // its folder is lost
      if (entry.file >= 0)
        std::ofstream(place, std::ios::binary) << bytes_.at(entry.file);
      else if (entry.link.empty())
        fs::create_directories(place);
      else
        fs::create_symlink(entry.link, place);
    }
  }

 private:
  struct Entry {
    int file = -1;     // -1: a folder or a link
    std::string link;  // target of a link
  };
  using Op = DiskOperation;

  std::vector<bool> KeptNames(const DiskLog& disk, size_t count, Lost lost) {
    std::vector<bool> kept(count);
    const size_t moment = random_() % (count + 1);
    for (size_t i = 0; i < count; ++i)
      if (DiskLog::IsName(disk.log()[i]))
        kept[i] = disk.IsSafe(i, count) || lost == Lost::kNothing || lost == Lost::kUnsyncedData ||
                  (lost == Lost::kSinceAMoment && i < moment) ||
                  (lost == Lost::kAny && random_() % 2);
    bool later = false;  // a journal that has a later change has all before it
    for (size_t i = count; lost == Lost::kSinceAMoment && i-- > 0;) {
      later = later || kept[i];
      kept[i] = later && DiskLog::IsName(disk.log()[i]);
    }
    return kept;
  }

  static bool Below(const std::string& path, const std::string& folder) {
    return path == folder || path.starts_with(folder + "/");
  }
  std::map<std::string, Entry> Take(const std::string& from) {
    std::map<std::string, Entry> taken;
    for (auto it = names_.begin(); it != names_.end();) {
      if (!Below(it->first, from)) {
        ++it;
        continue;
      }
      taken[it->first] = it->second;
      it = names_.erase(it);
    }
    return taken;
  }
  // Applies a change of names. A change does nothing if its names come from an earlier change that
  // was lost.
  void Apply(const Op& op) {
    if (op.kind == Op::kCreate) names_[op.path] = {op.file, ""};
    if (op.kind == Op::kMakeFolder) names_[op.path] = {-1, ""};
    if (op.kind == Op::kLink) names_[op.path] = {-1, op.target};
    if (op.kind == Op::kRemove) Take(op.path);
    if (op.kind != Op::kRename) return;
    const std::map<std::string, Entry> moved = Take(op.path);
    if (moved.empty()) return;
    Take(op.target);
    for (const auto& [path, entry] : moved) names_[op.target + path.substr(op.path.size())] = entry;
  }

  std::string BytesOf(const std::vector<Op>& log, size_t count, int file, Lost lost) {
    std::string bytes, safe;
    std::vector<const Op*> since;  // operations since the last sync
    for (size_t i = 0; i < count; ++i) {
      if (log[i].file != file) continue;
      if (log[i].kind == Op::kSyncFile) {
        for (const Op* op : since) Change(*op, &bytes);
        since.clear();
      } else if (log[i].kind != Op::kCreate) {
        since.push_back(&log[i]);
      }
    }
    if (lost == Lost::kAllUnsynced || lost == Lost::kUnsyncedData) return bytes;
    const bool some = lost != Lost::kNothing;
    const size_t kept = some ? random_() % (since.size() + 1) : since.size();
    for (size_t i = 0; i < kept; ++i) Change(*since[i], &bytes);
    if (!some || kept == since.size() || since[kept]->kind != Op::kWrite) return bytes;
    const std::string& torn = since[kept]->path;
    const size_t part = torn.empty() ? 0 : random_() % torn.size();
    bytes += torn.substr(0, part);
    if (random_() % 2) bytes.append(torn.size() - part, '\0');
    return bytes;
  }
  static void Change(const Op& op, std::string* bytes) {
    if (op.kind == Op::kWrite) *bytes += op.path;
    if (op.kind == Op::kTruncate) bytes->resize(static_cast<size_t>(op.bytes));
  }

  std::mt19937 random_;
  std::map<std::string, Entry> names_;
  std::map<int, std::string> bytes_;
};

}  // namespace singa
