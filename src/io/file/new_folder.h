// NewFolder makes a folder that appears under its name only when Commit has completed it. A signal
// that ends the process at once removes the temporary folder.
#pragma once

#include <string>

#include "base/file/file_system.h"
#include "base/file/unfinished_file.h"

namespace singa {

// Returns a folder's path without a slash at its end: a temporary name is put behind it.
std::string FolderPath(std::string path);

// Throws FileError if something other than an empty folder is there.
void RequireNewFolder(const std::string& path);

class NewFolder {
 public:
  // Makes a temporary folder. `files` must outlive it. All functions throw FileError. REQUIRES:
  // nothing, or an empty folder, is at the path.
  NewFolder(FileSystem* files, const std::string& path);
  // Removes the temporary folder if it was not committed.
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  // Returns the folder to write to before Commit. It gets files, and no folders.
  const std::string& temporary() const { return temporary_; }
  // Gives the folder its name.
  void Commit();

 private:
  FileSystem* files_;
  const std::string path_, temporary_;
  const UnfinishedFile unfinished_;
  bool committed_ = false;
};

}  // namespace singa
