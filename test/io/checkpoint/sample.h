// These are checkpoints for the tests of this folder.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "base/file/file_system.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_writer.h"
#include "singa/proto/common.pb.h"

namespace singa {

// TempFolder is a folder that is removed with the object. It is in memory if the system has a place
// for this.
class TempFolder {
 public:
  TempFolder() : TempFolder(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : OnDisk()) {}
  static std::filesystem::path OnDisk() { return std::filesystem::temp_directory_path(); }
  explicit TempFolder(const std::filesystem::path& parent) {
    std::string name = (parent / "singa-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// NumberedModel has params and state whose numbers all follow from `version`, of every type that we
// write.
struct NumberedModel {
  NumberedModel(int64_t step_number, int version, int64_t rows = 20)
      : step(step_number), w(rows * 10), history(rows * 10), b(7) {
    std::iota(w.begin(), w.end(), static_cast<float>(version * 1000));
    std::iota(history.begin(), history.end(), static_cast<float>(-version));
    std::iota(b.begin(), b.end(), 0.5f);
    flags = {1, 2, static_cast<uint8_t>(version)};
    position = {step, version};
    key = 0xfedcba9876543210u;
  }

  CheckpointContent content() const {
    CheckpointContent content;
    content.step = step;
    content.conf_sha256 = std::string(64, 'c');
    content.run = {{"seed", uint64_t{0xffffffffffffffffu}}, {"topology", "1x1"}, {"threads", 2}};
    const auto rows = static_cast<int64_t>(w.size() / 10);
    content.params = {Stored("w1", {rows, 10}, w.data()), Stored("b1", {7}, b.data()),
                      Stored("empty", {0, 3}, b.data())};
    content.state = {Stored("updater/w1/history", {rows, 10}, history.data()),
                     Stored("buffer/drop/flags", {3}, flags.data()),
                     Stored("reader/data", {2}, position.data()),
                     Stored("rng/key", Shape(), &key),
                     Stored("loss_scale", Shape(), &loss_scale),
                     Stored("labels", {2}, labels.data())};
    return content;
  }

  int64_t step;
  std::vector<float> w, history, b;
  std::vector<uint8_t> flags;
  std::vector<int64_t> position;
  std::vector<int32_t> labels = {-1, 1 << 30};
  uint64_t key;
  double loss_scale = 65536.25;
};

inline int VersionOf(const Checkpoint& checkpoint) {
  return static_cast<int>(checkpoint.state().Values<int64_t>("reader/data", {2})[1]);
}

inline std::string Write(const TempFolder& workspace, int64_t step, int version = 1) {
  PosixFileSystem disk;
  return WriteCheckpoint(disk, workspace.path(), NumberedModel(step, version).content());
}

inline void Ignore(const std::string&) {}

// Returns w1 with the values 0 to 5, and b1 with 10 and 11, as SINGA 0.3 writes them.
inline BlobProtos TwoBlobs() {
  BlobProtos message;
  for (int i = 0; i < 2; ++i) {
    message.add_version(100 + i);
    message.add_name(i ? "0#b1" : "0#w1");
    BlobProto* blob = message.add_blob();
    blob->add_shape(2);
    if (i == 0) blob->add_shape(3);
    for (int j = 0; j < (i ? 2 : 6); ++j) blob->add_data(static_cast<float>(10 * i + j));
  }
  return message;
}

}  // namespace singa
