// Format "lmdb" writes a folder with a data.mdb: Caffe's Datums under the keys of its convert
// tools.
#include <lmdb.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file/unfinished_file.h"
#include "io/store/store_writer.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

void CheckLmdbOptions(const WriterOptions& options) {
  constexpr int64_t kMostRecords = 100'000'000;  // keys of 8 digits sort as numbers
  if (options.shape.size() > 3)
    throw ConfigError("", StrCat("lmdb holds records of at most 3 sizes (channels, height, width), "
                                 "not of ",
                                 options.shape.size()));
  if (options.records > kMostRecords)
    throw ConfigError("", StrCat("lmdb holds at most ", kMostRecords, " records"));
}

bool Exists(const std::string& path) {
  std::error_code unreadable;  // if set, the calls below fail with an error that names the path
  return std::filesystem::exists(path, unreadable);
}

// A database that appears as folder/data.mdb only when it is complete. liblmdb writes its content,
// `files` does the rest.
class NewDatabase {
 public:
  NewDatabase(FileSystem* files, const std::string& folder)
      : files_(files),
        folder_(folder),
        made_folder_(!Exists(folder)),
        temporary_(StrCat(folder, "/data.mdb.tmp", getpid())),
        unfinished_(temporary_) {
    files_->MakeDirectories(folder_);
    files_->RemoveTree(temporary_);
    Check(mdb_env_create(&environment_), kExitIo);
    const int status = mdb_env_open(environment_, temporary_.c_str(),
                                    MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0666);
    if (status == 0) return;
    Discard();
    Check(status, kExitCantCreate);
  }
  ~NewDatabase() {
    if (!committed_) Discard();
  }
  NewDatabase(const NewDatabase&) = delete;
  NewDatabase& operator=(const NewDatabase&) = delete;

  // REQUIRES: keys rise from call to call.
  void Write(const std::string& key, std::string value) {
    waiting_bytes_ += static_cast<int64_t>(value.size());
    waiting_.emplace_back(key, std::move(value));
    if (waiting_bytes_ > (64 << 20) || waiting_.size() > (1 << 16)) Flush();
  }

  void Commit() {
    Flush();
    Check(mdb_env_sync(environment_, 1), kExitIo);
    mdb_env_close(environment_);
    environment_ = nullptr;
    files_->Rename(temporary_, folder_ + "/data.mdb");
    committed_ = true;
    files_->SyncDirectory(folder_);
  }

 private:
  // Writes the waiting records in one transaction.
  void Flush() {
    Reserve();
    MDB_txn* transaction = nullptr;
    Check(mdb_txn_begin(environment_, nullptr, 0, &transaction), kExitIo);
    MDB_dbi database = 0;
    int status = mdb_dbi_open(transaction, nullptr, 0, &database);
    for (auto it = waiting_.begin(); status == 0 && it != waiting_.end(); ++it) {
      MDB_val key{it->first.size(), it->first.data()}, value{it->second.size(), it->second.data()};
      status = mdb_put(transaction, database, &key, &value, MDB_APPEND);
    }
    if (status == 0)
      status = mdb_txn_commit(transaction);
    else
      mdb_txn_abort(transaction);
    Check(status, kExitIo);
    waiting_.clear();
    waiting_bytes_ = 0;
  }

  // Makes the map large enough for the waiting records. This takes only address space; the file
  // grows with its content.
  void Reserve() {
    MDB_envinfo info;
    MDB_stat stat;
    Check(mdb_env_info(environment_, &info), kExitIo);
    Check(mdb_env_stat(environment_, &stat), kExitIo);
    constexpr size_t kOfTheTree = 1024;  // most pages of the tree in a transaction
    const size_t pages =
        info.me_last_pgno + kOfTheTree +
        3 * (waiting_.size() + static_cast<size_t>(waiting_bytes_) / stat.ms_psize);
    if (pages * stat.ms_psize > info.me_mapsize)
      Check(mdb_env_set_mapsize(environment_, pages * stat.ms_psize), kExitIo);
  }

  void Check(int status, ExitCode code) const {
    if (status == 0) return;
    if (status == EACCES || status == EPERM) code = kExitNoPermission;
    throw FileError(code, folder_ + "/data.mdb", mdb_strerror(status));
  }

  void Discard() noexcept {
    if (environment_) mdb_env_close(environment_);
    environment_ = nullptr;
    std::error_code ignored;  // a file that stays behind is not named as a database
    std::filesystem::remove_all(made_folder_ ? folder_ : temporary_, ignored);
  }

  FileSystem* files_;
  const std::string folder_;
  const bool made_folder_;
  const std::string temporary_;
  const UnfinishedFile unfinished_;
  MDB_env* environment_ = nullptr;
  bool committed_ = false;
  std::vector<std::pair<std::string, std::string>> waiting_;
  int64_t waiting_bytes_ = 0;
};

class LmdbWriter final : public StoreWriter {
 public:
  LmdbWriter(const WriterOptions& options, FileSystem* files)
      : options_(options), database_(files, options.path) {}

  void Write(const Sample& sample) override {
    datum_.Clear();
    SetShape();
    if (sample.data.empty())
      datum_.set_data(sample.pixel.data(), sample.pixel.size());
    else
      datum_.mutable_float_data()->Add(sample.data.begin(), sample.data.end());
    if (options_.has_label) datum_.set_label(sample.label);
    if (options_.encoded) datum_.set_encoded(true);
    database_.Write(RecordKey(next_++), datum_.SerializeAsString());
  }

  void Finish() override { database_.Commit(); }

 private:
  // Sets the shape as Caffe does: one size is channels, two sizes are an image of one channel.
  void SetShape() {
    const std::vector<int32_t>& s = options_.shape;
    if (s.empty()) return;
    datum_.set_channels(s.size() == 2 ? 1 : s[0]);
    datum_.set_height(s.size() == 1 ? 1 : s[s.size() - 2]);
    datum_.set_width(s.size() == 1 ? 1 : s[s.size() - 1]);
  }

  const WriterOptions options_;
  NewDatabase database_;
  CaffeDatum datum_;
  int64_t next_ = 0;
};

std::unique_ptr<StoreWriter> NewLmdbWriter(const WriterOptions& options, FileSystem* files) {
  CheckLmdbOptions(options);
  return std::make_unique<LmdbWriter>(options, files);
}

SINGA_REGISTER_STORE_WRITER(lmdb, NewLmdbWriter, .image_files = true);

}  // namespace
}  // namespace singa
