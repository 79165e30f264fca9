#include "driver/workspace/marked_files.h"

#include <utility>

namespace singa {
namespace {

class MarkedFile final : public WritableFile {
 public:
  MarkedFile(ActivityMark* mark, std::unique_ptr<WritableFile> file)
      : mark_(*mark), file_(std::move(file)) {}

  void Write(const void* data, size_t bytes) override {
    mark_.Tick();
    file_->Write(data, bytes);
  }
  void Sync() override {
    mark_.Tick();
    file_->Sync();
  }
  void Close() override {
    mark_.Tick();
    file_->Close();
  }

 private:
  ActivityMark& mark_;
  const std::unique_ptr<WritableFile> file_;
};

}  // namespace

std::unique_ptr<WritableFile> MarkedFiles::Create(const std::string& path) {
  mark_.Tick();
  return std::make_unique<MarkedFile>(&mark_, files_.Create(path));
}

std::unique_ptr<AppendedFile> MarkedFiles::Append(const std::string& path) {
  mark_.Tick();
  return files_.Append(path);
}

Descriptor MarkedFiles::OpenLock(const std::string& path) {
  mark_.Tick();
  return files_.OpenLock(path);
}

void MarkedFiles::SyncDirectory(const std::string& path) {
  mark_.Tick();
  files_.SyncDirectory(path);
}

void MarkedFiles::Rename(const std::string& from, const std::string& to) {
  mark_.Tick();
  files_.Rename(from, to);
}

void MarkedFiles::MakeDirectories(const std::string& path) {
  mark_.Tick();
  files_.MakeDirectories(path);
}

std::vector<std::string> MarkedFiles::List(const std::string& path) {
  mark_.Tick();
  return files_.List(path);
}

void MarkedFiles::RemoveTree(const std::string& path) {
  mark_.Tick();
  files_.RemoveTree(path);
}

void MarkedFiles::Symlink(const std::string& target, const std::string& path) {
  mark_.Tick();
  files_.Symlink(target, path);
}

}  // namespace singa
