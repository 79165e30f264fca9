// NewFile: a file that appears whole under its name, or not at all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/file/file_system.h"
#include "base/file/temporary_name.h"

namespace singa {

// Where a new file `path` is to lie: at the end of links. Throws FileError where something else
// than a file is there, such as a device.
std::string TargetOf(const std::string& path);

// Removes files of such names, which a process that was killed has left; what cannot be removed
// stays, with a warning. For the one writer of the path.
void RemoveLeftOver(FileSystem* files, const std::string& path);

class NewFile {
 public:
  // `files` must outlive it. Throws FileError, as all functions.
  NewFile(FileSystem* files, const std::string& path);
  // Removes what was not committed.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void Write(std::string_view bytes);
  // Replaces the file that was at the path.
  void Commit();

 private:
  void Flush();

  FileSystem* files_;
  const std::string path_, temporary_;
  std::unique_ptr<WritableFile> file_;  // null: committed
  std::string buffer_;
};

}  // namespace singa
