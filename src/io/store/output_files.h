// OutputFiles: what the output layers of one pass over the data write. A file appears whole under
// its name when the pass ends, or not at all.
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
  // Appends a record to the file `path`, which its first record opens; whether that has a label
  // says whether the file holds labels. `format`: kvfile or textfile. Returns the record's number.
  // A file that the disk refuses is left out of the pass. Throws FileError, ValueError.
  int64_t Write(const std::string& path, const std::string& format, const Sample& sample);
  // Whether the file of this pass holds labels; none: it has no record yet.
  std::optional<bool> HoldsLabels(const std::string& path) const;
  // The records that it has so far.
  int64_t Records(const std::string& path) const;
  // Makes the files appear. Returns their paths and records.
  std::vector<std::pair<std::string, int64_t>> Finish();
  // Why a file was left out of the last pass; none: all were written.
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
