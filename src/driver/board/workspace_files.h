// WorkspaceFiles reads the files of a workspace that other users may share. It follows the rule of
// workspaces (base/file/file_system.h): no file is opened through a link, and folders are not
// entered through links of other users. Several threads may read at the same time.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system/descriptor.h"

namespace singa {

// Returns whether a file is the one that it was, and has not changed.
bool Unchanged(const struct stat& now, const struct stat& before);

// An open file of a workspace, and what the system says of it.
struct WorkspaceFile {
  Descriptor descriptor;
  struct stat status = {};

  int64_t size() const { return status.st_size; }
  // Reads up to `n` bytes, fewer at the end of the file. Throws FileError.
  void ReadTo(int64_t offset, int64_t n, std::string* bytes) const;
  std::string Read(int64_t offset, int64_t n) const {
    std::string bytes;
    ReadTo(offset, n, &bytes);
    return bytes;
  }
};

class WorkspaceFiles {
 public:
  explicit WorkspaceFiles(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }

  // Opens a file by its path in the workspace; none: there is no such file. Throws FileError.
  std::optional<WorkspaceFile> Open(const std::string& name) const;
  // Returns the text of a file of at most `most_bytes`; none: it is missing, larger, or cannot be
  // read.
  std::optional<std::string> Text(const std::string& name, int64_t most_bytes) const;
  // Returns the names in a folder of the workspace, sorted; none if it cannot be listed.
  std::vector<std::string> List(const std::string& name) const;

 private:
  std::string folder_;
};

}  // namespace singa
