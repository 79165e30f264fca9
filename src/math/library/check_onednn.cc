#include <cerrno>
#include <cstring>

#include "base/system/system_limits.h"
#include "math/library/onednn.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Where another thread was making the kernel, the system's refusal is in that thread's errno.
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

// errno's values of mprotect: a policy (EACCES, or EPERM of a seccomp filter), or too many
// mappings.
bool RefusesKernels(int error) { return error == EACCES || error == EPERM || error == ENOMEM; }

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
  if (status == dnnl_success && !RefusesKernels(error)) return;
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
