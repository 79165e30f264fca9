// SideFiles writes files that training does not need, such as pictures of the net. It warns once if
// the disk refuses them.
#pragma once

#include "base/file/file_system.h"
#include "driver/workspace/progress.h"

namespace singa {

class SideFiles {
 public:
  explicit SideFiles(Progress* progress) : progress_(*progress) {}

  template <typename Write>
  void Try(const Write& write) {
    try {
      write();
    } catch (const WriteError& error) {
      Refused(error);
    }
  }
  void Refused(const WriteError& error) {
    if (!warned_)
      progress_.Warn(StrCat(error.what(), "; the job goes on without files of this kind"));
    warned_ = true;
  }

 private:
  Progress& progress_;
  bool warned_ = false;
};

}  // namespace singa
