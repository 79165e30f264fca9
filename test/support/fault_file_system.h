// FaultFileSystem is a FileSystem for tests that knows what a disk has promised to keep: the bytes
// of a file up to its last Sync, and the names in a folder up to its last SyncDirectory. It can
// fail any operation. It can also stop at any operation, and lose all that was not promised. Its
// state is also a real folder, so that the product reads it as always. After LevelDB's
// FaultInjectionTestEnv.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "base/file/file_system.h"
#include "singa/base/error.h"

namespace singa {

// Operations throw Crash at the crash and after it. It is not an Error, so that no code handles it.
struct Crash {};

class FaultFileSystem final : public FileSystem {
 public:
  enum class Survives { kOnlySynced, kNamesButNoData, kEverything, kAnything };

  // `root` is an empty folder. Every path must lie in it.
  explicit FaultFileSystem(std::string root)
      : root_(std::move(root)), top_(std::make_shared<Node>()) {}

  int64_t operations() const { return operations_; }
  void CrashAt(int64_t operation) { crash_at_ = operation; }
  // Makes operation `first` fail with this errno. `all_after`: all later operations fail, too.
  void FailAt(int64_t first, int error, bool all_after) {
    fail_at_ = first;
    error_ = error;
    all_after_ = all_after;
  }
  void Heal() { crash_at_ = fail_at_ = -1; }
  bool faulted() const { return faulted_; }

  // Brings power back: memory and the real folder then hold the state that survived. kAnything: a
  // folder keeps some of its latest changes of names, in their order, and a file some of its bytes,
  // by `seed`.
  void Reboot(Survives survives, uint32_t seed = 0) {
    std::mt19937 random(seed);
    Settle(top_.get(), survives, &random);
    for (const auto& entry : std::filesystem::directory_iterator(root_))
      std::filesystem::remove_all(entry.path());
    Store(*top_, root_);
    Heal();
  }

  std::unique_ptr<WritableFile> Create(const std::string& path) override {
    Begin(path);
    auto [folder, name] = Find(path);
    if (folder->now.count(name)) Throw(EEXIST, path);
    auto node = std::make_shared<Node>();
    node->is_folder = false;
    folder->Change({"", name, node});
    return std::make_unique<File>(this, node, disk_.Create(path), path);
  }
  // Append and OpenLock fail. Tests of whole jobs, which append to files, use
  // support/recorded_files.h.
  std::unique_ptr<AppendedFile> Append(const std::string& path) override { Throw(EROFS, path); }
  Descriptor OpenLock(const std::string& path) override { Throw(EROFS, path); }
  void SyncDirectory(const std::string& path) override {
    Begin(path);
    FolderAt(path)->Sync();
  }
  void Rename(const std::string& from, const std::string& to) override {
    Begin(to);
    auto [folder, old_name] = Find(from);
    auto [other, new_name] = Find(to);
    if (folder != other || !folder->now.count(old_name)) Throw(EXDEV, to);
    disk_.Rename(from, to);
    folder->Change({old_name, new_name, folder->now.at(old_name)});
  }
  void MakeDirectories(const std::string& path) override {
    if (path.size() <= root_.size() || std::filesystem::exists(path)) return;
    const std::string parent = std::filesystem::path(path).parent_path().string();
    MakeDirectories(parent);
    Begin(path);
    auto [folder, name] = Find(path);
    std::filesystem::create_directory(path);
    folder->Change({"", name, std::make_shared<Node>()});
    SyncDirectory(parent);
  }
  std::vector<std::string> List(const std::string& path) override {
    Begin(path);
    return disk_.List(path);
  }
  void RemoveTree(const std::string& path) override {
    auto [folder, name] = Find(path);
    const auto it = folder->now.find(name);
    if (it != folder->now.end() && it->second->is_folder)
      for (const std::string& child : disk_.List(path)) RemoveTree(path + "/" + child);
    Begin(path);
    if (it == folder->now.end()) return;
    disk_.RemoveTree(path);
    folder->Change({name, "", nullptr});
  }
  void Symlink(const std::string& target, const std::string& path) override {
    Begin(path);
    auto [folder, name] = Find(path);
    disk_.Symlink(target, path);
    auto node = std::make_shared<Node>();
    node->is_folder = false;
    node->link = target;
    folder->Change({"", name, node});
  }

 private:
  struct Node;
  struct NameChange {
    std::string removed, added;  // "": none
    std::shared_ptr<Node> node;  // of `added`
  };
  using Names = std::map<std::string, std::shared_ptr<Node>>;

  struct Node {
    bool is_folder = true;
    std::string link;  // target of a link
    std::string data;  // of a file; the first `synced` bytes are safe
    size_t synced = 0;
    Names now, safe;                  // of a folder
    std::vector<NameChange> changes;  // that lead from `safe` to `now`

    static void Apply(const NameChange& change, Names* names) {
      names->erase(change.removed);
      if (!change.added.empty()) (*names)[change.added] = change.node;
    }
    void Change(const NameChange& change) {
      Apply(change, &now);
      changes.push_back(change);
    }
    void Sync() {
      safe = now;
      changes.clear();
    }
  };

  class File final : public WritableFile {
   public:
    File(FaultFileSystem* owner, std::shared_ptr<Node> node, std::unique_ptr<WritableFile> disk,
         std::string path)
        : owner_(owner), node_(std::move(node)), disk_(std::move(disk)), path_(std::move(path)) {}

    void Write(const void* data, size_t bytes) override {
      try {
        owner_->Begin(path_);
      } catch (...) {
        Append(data, bytes / 2);  // a full disk takes as much as it can
        throw;
      }
      Append(data, bytes);
    }
    void Sync() override {
      owner_->Begin(path_);
      node_->synced = node_->data.size();
    }
    void Close() override {
      owner_->Begin(path_);
      disk_->Close();
    }

   private:
    void Append(const void* data, size_t bytes) {
      disk_->Write(data, bytes);
      node_->data.append(static_cast<const char*>(data), bytes);
    }
    FaultFileSystem* owner_;
    std::shared_ptr<Node> node_;
    std::unique_ptr<WritableFile> disk_;
    std::string path_;
  };

  [[noreturn]] static void Throw(int error, const std::string& path) {
    throw WriteError(error == EXDEV || error == EEXIST ? kExitCantCreate : kExitIo, path,
                     "(injected) " + std::generic_category().message(error), error);
  }

  // Counts an operation. Throws if it is the one to fail.
  void Begin(const std::string& path) {
    const int64_t operation = operations_++;
    if (crash_at_ >= 0 && operation >= crash_at_) {
      faulted_ = true;
      throw Crash();
    }
    if (fail_at_ >= 0 && (operation == fail_at_ || (all_after_ && operation > fail_at_))) {
      faulted_ = true;
      Throw(error_, path);
    }
  }

  Node* FolderAt(const std::string& path) const {
    Node* node = top_.get();
    for (const auto& part : std::filesystem::relative(path, root_))
      if (part != ".") node = node->now.at(part.string()).get();
    return node;
  }
  std::pair<Node*, std::string> Find(const std::string& path) const {
    const std::filesystem::path p(path);
    return {FolderAt(p.parent_path().string()), p.filename().string()};
  }

  static void Settle(Node* node, Survives survives, std::mt19937* random) {
    const bool any = survives == Survives::kAnything;
    size_t changes = survives == Survives::kOnlySynced ? 0 : node->changes.size();
    if (any && changes > 0) changes = (*random)() % (changes + 1);
    for (size_t i = 0; i < changes; ++i) Node::Apply(node->changes[i], &node->safe);
    node->now = node->safe;
    node->changes.clear();
    if (survives != Survives::kEverything) {
      const size_t loose = node->data.size() - node->synced;
      const size_t kept = node->synced + (any && loose > 0 ? (*random)() % (loose + 1) : 0);
      const size_t size = any && (*random)() % 2 ? node->data.size() : kept;
      node->data.resize(kept);
      node->data.resize(size, '\0');  // some file systems show zeros
    }
    node->synced = node->data.size();
    for (auto& [name, child] : node->now) Settle(child.get(), survives, random);
  }

  void Store(const Node& node, const std::string& path) {
    for (const auto& [name, child] : node.now) {
      const std::string to = path + "/" + name;
      if (child->is_folder) {
        std::filesystem::create_directory(to);
        Store(*child, to);
      } else if (!child->link.empty()) {
        disk_.Symlink(child->link, to);
      } else {
        disk_.Create(to)->Write(child->data.data(), child->data.size());
      }
    }
  }

  std::string root_;
  std::shared_ptr<Node> top_;
  PosixFileSystem disk_;
  int64_t operations_ = 0, crash_at_ = -1, fail_at_ = -1;
  int error_ = 0;
  bool all_after_ = false, faulted_ = false;
};

}  // namespace singa
