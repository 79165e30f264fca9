#include "cluster/workers/host_memory.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/system/system_limits.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// No process may shrink the memory: reading beyond its end would end another process.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// Returns the text of errno, and the limits that may be the reason.
std::string WhyRefused() {
  const std::string text = std::strerror(errno), limits = SystemLimits();
  return StrCat(text, limits.empty() ? "" : "; limits: ", limits);
}

[[noreturn]] void Fail(const std::string& what, const std::string& why) {
  throw DeviceError(StrCat(what, ": ", why,
                           "; with cluster { share_memory: false } the processes of a host share "
                           "no memory"));
}

}  // namespace

HostMemory::HostMemory(int64_t bytes) : bytes_(bytes) {
  const std::string what =
      StrCat("cannot make ", bytes >> 20, " MiB of memory for the job's processes");
  file_ = Descriptor(::memfd_create("singa-group", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file_.get() < 0 || ::ftruncate(file_.get(), kHead + bytes) != 0 ||
      ::fcntl(file_.get(), F_ADD_SEALS, kSeals) != 0)
    Fail(what, WhyRefused());
  Map();
  if (!memory_) Fail(what, WhyRefused());
  randombytes_buf(memory_, sizeof(uint64_t));
}

HostMemory::HostMemory(const Place& place) : bytes_(place.bytes) {
  const std::string path = StrCat("/proc/", place.process, "/fd/", place.descriptor);
  const std::string what = StrCat("cannot share memory with process 0, at ", path);
  file_ = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file_.get() < 0) Fail(what, WhyRefused());
  struct stat status;
  const int seals = ::fcntl(file_.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || ::fstat(file_.get(), &status) != 0 ||
      status.st_size != kHead + bytes_)
    Fail(what, "this is not the memory of a job");
  Map();
  if (!memory_) Fail(what, WhyRefused());
  if (this->place().mark != place.mark) {
    ::munmap(memory_, kHead + bytes_);
    Fail(what, "it belongs to another job");
  }
  file_.Close();
}

HostMemory::~HostMemory() { ::munmap(memory_, kHead + bytes_); }

void HostMemory::Map() {
  const int64_t bytes = kHead + bytes_;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) return;
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // if the kernel has them for shared memory
  memory_ = static_cast<std::byte*>(memory);
}

HostMemory::Place HostMemory::place() const {
  Place place = {::getpid(), file_.get(), bytes_, 0};
  std::memcpy(&place.mark, memory_, sizeof place.mark);
  return place;
}

}  // namespace singa
