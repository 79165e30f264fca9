// EntryPlace is the place that a path leads to: an open folder and a name in it. It looks the path
// up once, component by component, so that nobody can put a link in its way afterwards.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/system/descriptor.h"

namespace singa {

class EntryPlace {
 public:
  // Looks `path` up from the working directory, as the system does.
  explicit EntryPlace(const std::string& path);
  // Looks `path` up from `root`, with which it begins and which is open as `folder`. Follows links
  // to folders if the links are this user's or root's. Throws WriteError, 77, for another user's
  // link, or another user's folder in one that anybody may write.
  EntryPlace(const std::string& root, int folder, const std::string& path);

  // Return the arguments of the system's calls that end in "at".
  int folder() const { return folder_; }
  const char* name() const { return name_.c_str(); }

  // Opens the file there to read and write. `flags`: those of open, with O_CREAT if the file may be
  // new. Throws WriteError for a link, no regular file, or another user's file as above.
  Descriptor OpenFile(int flags) const;
  // Opens the folder there. Throws WriteError.
  Descriptor OpenFolder() const;

 private:
  Descriptor OpenFolder(const char* name, int flags) const;
  void CheckOwner(const struct stat& entry) const;

  std::string path_;  // the given path
  std::string name_;
  Descriptor opened_;
  int folder_;
  bool rooted_;
};

}  // namespace singa
