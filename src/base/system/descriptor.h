// A Descriptor owns a file descriptor, and closes it at its end.
#pragma once

#include <unistd.h>

#include <utility>

namespace singa {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return number_; }  // -1: none
  int Release() { return std::exchange(number_, -1); }
  void Close() {
    if (number_ >= 0) ::close(Release());
  }

 private:
  int number_;
};

}  // namespace singa
