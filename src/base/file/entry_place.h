// EntryPlace: where a path leads, as an open folder and a name in it. The path is looked up once,
// component by component, so that nobody can put a link in its way afterwards.
#pragma once

#include <sys/stat.h>

#include <string>

#include "base/file/descriptor.h"

namespace singa {

class EntryPlace {
 public:
  // `path` as the system finds it from the working directory.
  explicit EntryPlace(const std::string& path);
  // `path` begins with `root`, which is open as `folder`. Folders behind links are used where the
  // links are this user's or root's. Throws WriteError, 77: another user's link, or another user's
  // folder in one where anybody may put things.
  EntryPlace(const std::string& root, int folder, const std::string& path);

  // For the system's calls that end in "at".
  int folder() const { return folder_; }
  const char* name() const { return name_.c_str(); }

  // Opens the file there to read and write; `flags` are open's, O_CREAT among them where it may be
  // new. Throws WriteError: a link, no regular file, or another user's as above.
  Descriptor OpenFile(int flags) const;
  // Opens the folder there. Throws WriteError.
  Descriptor OpenFolder() const;

 private:
  Descriptor OpenFolder(const char* name, int flags) const;
  void CheckOwner(const struct stat& entry) const;

  std::string path_;  // as it was given
  std::string name_;
  Descriptor opened_;
  int folder_;
  bool rooted_;
};

}  // namespace singa
