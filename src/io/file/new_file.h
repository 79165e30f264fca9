// NewFile writes a file that appears under its name only when Commit has completed it. A signal
// that ends the process at once removes the temporary file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file/file_system.h"
#include "base/file/temporary_name.h"
#include "base/file/unfinished_file.h"

namespace singa {

// Returns the path to write for `path`: the target if it is a link. Throws FileError if something
// other than a file is there, such as a device.
std::string TargetOf(const std::string& path);

// Removes temporary files that a killed process left. If a file cannot be removed, it warns. Only
// the writer of the path may call it.
void RemoveLeftOver(FileSystem* files, const std::string& path);

class NewFile {
 public:
  // Creates a temporary file. `files` must outlive it. All functions throw FileError.
  NewFile(FileSystem* files, const std::string& path);
  // Removes the temporary file if it was not committed.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void Write(std::string_view bytes);
  // Completes the file and replaces a file that was at the path.
  void Commit();

 private:
  void Flush();

  FileSystem* files_;
  const std::string path_, temporary_;
  const UnfinishedFile unfinished_;
  std::unique_ptr<WritableFile> file_;  // null: committed
  std::string buffer_;
};

}  // namespace singa
