#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/system/system_limits.h"
#include "math/library/onednn.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns a text for `status`. If another thread was making the kernel, the system's refusal is in
// that thread's errno.
std::string StatusText(dnnl_status_t status) {
  switch (status) {
    case dnnl_invalid_arguments:
      return "invalid arguments";
    case dnnl_unimplemented:
      return "not implemented, or a kernel got no executable memory";
    case dnnl_iterator_ends:
      return "no way to compute it";
    case dnnl_runtime_error:
      return "a kernel could not be made, such as for want of executable memory";
    case dnnl_not_required:
      return "not required";
    default:
      return StrCat("status ", int{status});
  }
}

// Returns whether `error` is a refusal of mprotect: by a policy (EACCES, or EPERM of a seccomp
// filter), or for too many mappings (ENOMEM).
bool RefusesKernels(int error) { return error == EACCES || error == EPERM || error == ENOMEM; }

// Returns whether a call that succeeded was refused memory for its kernels. Only a policy leaves
// EACCES. malloc and OpenMP's first threads may leave ENOMEM or EPERM without harm, so the system
// is asked again: policies and full tables of mappings last. A refusal that does not last is not
// seen.
bool WasRefused(int error) {
  if (error == EACCES) return true;
  if (!RefusesKernels(error)) return false;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  // A page between two others needs two more mappings, like one within a heap.
  void* const pages =
      mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return true;
  const bool refused = mprotect(static_cast<char*>(pages) + page, page, PROT_READ | PROT_EXEC) != 0;
  munmap(pages, 3 * page);
  return refused;
}

std::string RefusedText(int error) {
  return StrCat("the system gives no executable memory for its kernels (mprotect): ",
                std::strerror(error), "; ",
                error == ENOMEM ? OutOfMemoryText()
                                : "does a policy forbid it, such as SELinux's deny_execmem?",
                "; plain_kernels: true trains without oneDNN");
}

}  // namespace

void CheckOnednn(dnnl_status_t status, const char* what) {
  const int error = errno;
  if (status == dnnl_success && !WasRefused(error)) return;
  throw DeviceError(StrCat("oneDNN: ", what, ": ",
                           status == dnnl_out_of_memory ? OutOfMemoryText()
                           : RefusesKernels(error)      ? RefusedText(error)
                                                        : StatusText(status)));
}

void CheckDeclined(const dnnl::error& error, const char* what) {
  if (error.status == dnnl_out_of_memory || error.status == dnnl_runtime_error ||
      RefusesKernels(errno))
    CheckOnednn(error.status, what);
}

}  // namespace singa
