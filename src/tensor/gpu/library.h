// Shared libraries that are loaded when a function of theirs is first called: CUDA's are hundreds
// of megabytes that a job on the CPU has no use for, and may not be installed.
#pragma once

#include <mutex>
#include <string>
#include <utility>

namespace singa {

class Library {
 public:
  // `file`: as the loader finds it, "libcudnn.so.9". It outlives the library.
  explicit constexpr Library(const char* file) : file_(file) {}

  const char* file() const { return file_; }
  // Whether it can be loaded; if not, *why says why.
  bool Available(std::string* why);
  // Throws DeviceError where library or function are missing.
  void* Find(const char* function);

 private:
  void Load();

  const char* const file_;
  std::once_flag loaded_;
  void* handle_ = nullptr;
  std::string fault_;
};

// `LibraryFunction<decltype(cudnnCreate)> Create{&cudnn, "cudnnCreate"}`, called as it is.
template <typename F>
class LibraryFunction {
 public:
  constexpr LibraryFunction(Library* library, const char* name) : library_(library), name_(name) {}

  // Throws DeviceError where it is missing.
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
