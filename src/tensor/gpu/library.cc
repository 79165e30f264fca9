#include "tensor/gpu/library.h"

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

void* Library::Find(const char* function) {
  Load();
  if (!handle_) throw DeviceError(StrCat("a GPU needs ", file_, ": ", fault_));
  void* const found = ::dlsym(handle_, function);
  if (!found) throw DeviceError(StrCat(file_, " has no function ", function));
  return found;
}

}  // namespace singa
