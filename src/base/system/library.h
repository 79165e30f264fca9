// A Library is a shared library that is loaded when one of its functions is first called. CUDA's
// have hundreds of megabytes, which a job on the CPU does not need. A library may be missing.
#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace singa {

class Library {
 public:
  // `file`: a name for the loader, such as "libcudnn.so.9"; `user`: what needs it, such as "a GPU".
  // Both must outlive the library.
  explicit constexpr Library(const char* file, const char* user = "a GPU")
      : file_(file), user_(user) {}

  const char* file() const { return file_; }
  // Returns whether the library can be loaded; if not, *why says why.
  bool Available(std::string* why);
  // Returns the address of a function or variable. Throws DeviceError if it or the library is
  // missing.
  void* Find(const char* name);

 private:
  void Load();

  const char* const file_;
  const char* const user_;
  std::once_flag loaded_;
  void* handle_ = nullptr;
  std::string fault_;
};

// A function of a library: `LibraryFunction<decltype(cudnnCreate)> Create{&cudnn, "cudnnCreate"}`.
// Calls look like those of the function itself.
template <typename F>
class LibraryFunction {
 public:
  constexpr LibraryFunction(Library* library, const char* name) : library_(library), name_(name) {}

  // Finds the function. Throws DeviceError if it is missing.
  void Find() {
    std::call_once(found_, [this] { f_ = reinterpret_cast<F*>(library_->Find(name_)); });
  }
  template <typename... Args>
  auto operator()(Args&&... args) {
    Find();
    return f_(std::forward<Args>(args)...);
  }

 private:
  Library* const library_;
  const char* const name_;
  std::once_flag found_;
  F* f_ = nullptr;
};

}  // namespace singa
