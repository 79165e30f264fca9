// While an UnfinishedFile exists, a signal that ends the process at once removes its file. The file
// may be a folder of files. Any thread may make one.
#pragma once

#include <string>

namespace singa {

class UnfinishedFile {
 public:
  // Does nothing if too many exist, or if the path is too long.
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  int place_ = -1;  // -1: none
};

// Removes the files. A handler of signals may call it.
void RemoveUnfinishedFiles();

}  // namespace singa
