#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>

#include "driver/doctor/finding.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int64_t kFewDisk = 1 << 30;     // 1 GiB: a few checkpoints of a medium net
constexpr int64_t kFewShared = 64 << 20;  // 64 MiB: the default of containers

struct Space {
  int64_t size = -1, free = -1;  // bytes; -1: there is no such file system
  bool read_only = false;
};

Space SpaceOf(const char* path) {
  struct statvfs status {};
  if (statvfs(path, &status) != 0) return {};
  const auto block = static_cast<int64_t>(status.f_frsize);
  return {block * static_cast<int64_t>(status.f_blocks),
          block * static_cast<int64_t>(status.f_bavail), (status.f_flag & ST_RDONLY) != 0};
}

void FindDisk(Findings* found) {
  const Space here = SpaceOf(".");
  Finding finding{"disk of this folder", StrCat(SizeText(here.free), " free")};
  if (here.free < 0 || here.read_only || access(".", W_OK) != 0) {
    finding.value = "cannot be written";
    finding.status = Finding::kWarn;
    finding.advice = "a job writes its workspace: start it elsewhere, or set cluster.workspace";
  } else if (here.free < kFewDisk) {
    finding.status = Finding::kWarn;
    finding.advice =
        "checkpoints may not fit: set checkpoint_keep, or cluster.workspace on another disk";
  }
  found->push_back(finding);
}

void FindShmFolder(Findings* found) {
  const Space shared = SpaceOf("/dev/shm");
  Finding finding{"/dev/shm", shared.size < 0 ? "is not there"
                                              : StrCat(SizeText(shared.size), ", ",
                                                       SizeText(shared.free), " free")};
  if (shared.free < kFewShared) {
    finding.status = Finding::kWarn;
    finding.advice =
        "MPI and other programs beside singa use it; start a container with "
        "--shm-size=1g";
  }
  found->push_back(finding);
}

}  // namespace

void FindFiles(Findings* found) {
  FindDisk(found);
  FindShmFolder(found);
}

}  // namespace singa
