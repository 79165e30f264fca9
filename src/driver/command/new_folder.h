// These functions check the path of a folder that a command is about to make.
#pragma once

#include <filesystem>
#include <string>

#include "singa/base/error.h"

namespace singa {

// Returns the folder's path without a slash at its end: a temporary name is put behind it.
inline std::string FolderPath(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Throws FileError if something other than an empty folder is there.
inline void RequireNewFolder(const std::string& dir) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(dir, error) && !(fs::is_directory(dir, error) && fs::is_empty(dir, error)))
    throw FileError(kExitCantCreate, dir, "exists already, and is not an empty folder");
}

}  // namespace singa
