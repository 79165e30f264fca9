#include "base/file/which_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file/file_system.h"
#include "base/system/descriptor.h"
#include "singa/base/str_cat.h"

namespace singa {

std::string WhichFile(const std::string& path) {
  // Opening the folder makes NFS ask its server again what is in it.
  const Descriptor folder(::open(FolderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return "";
  return StrCat(status.st_dev, " ", status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec,
                " ", status.st_mtim.tv_nsec);
}

}  // namespace singa
