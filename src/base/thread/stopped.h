// The exception of threads that wait in vain for another thread.
#pragma once

#include <exception>

namespace singa {

// Thrown by a wait for threads of which one has failed. That thread's error gives the reason.
class Stopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "another thread has failed"; }
};

}  // namespace singa
