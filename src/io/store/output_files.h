// OutputFiles holds the files that output layers write in one pass over the data. A file appears
// under its name only when the pass has ended.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/file_system.h"
#include "io/store/store_writer.h"

namespace singa {

class OutputFiles {
 public:
  // Appends a record to the file `path`, and returns its number. The first record opens the file,
  // and decides whether the file holds labels. `format` is kvfile or textfile. If the disk refuses
  // a file, it is left out of this pass. Throws FileError, ValueError.
  int64_t Write(const std::string& path, const std::string& format, const Sample& sample);
  // Returns whether the file of this pass holds labels; nullopt: it has no record yet.
  std::optional<bool> HoldsLabels(const std::string& path) const;
  // Returns the number of records so far.
  int64_t Records(const std::string& path) const;
  // Makes the files appear. Returns their paths and numbers of records.
  std::vector<std::pair<std::string, int64_t>> Finish();
  // Error of a file that was left out of the last pass; nullopt: all were written.
  const std::optional<WriteError>& refused() const { return refused_; }

 private:
  struct File {
    bool has_label = false;
    std::unique_ptr<StoreWriter> writer = nullptr;
    bool refused = false;
    int64_t records = 0;
  };
  PosixFileSystem file_system_;
  std::map<std::string, File> files_;
  std::optional<WriteError> refused_;
};

}  // namespace singa
