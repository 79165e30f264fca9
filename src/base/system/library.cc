#include "base/system/library.h"

#include <dlfcn.h>

#include "singa/base/error.h"

namespace singa {

void Library::Load() {
  std::call_once(loaded_, [this] {
    handle_ = ::dlopen(file_, RTLD_NOW | RTLD_LOCAL);
    if (!handle_) fault_ = ::dlerror();
  });
}

bool Library::Available(std::string* why) {
  Load();
  if (!handle_) *why = fault_;
  return handle_ != nullptr;
}

void* Library::Find(const char* name) {
  Load();
  if (!handle_) throw DeviceError(StrCat(user_, " needs ", file_, ": ", fault_));
  void* const found = ::dlsym(handle_, name);
  if (!found) throw DeviceError(StrCat(file_, " has no ", name));
  return found;
}

}  // namespace singa
