// Exceptions of threads that wait in vain for other threads.
#pragma once

#include <exception>

namespace singa {

// Thrown by a wait for threads of which one has failed. That thread's error gives the reason.
class Stopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "another thread has failed"; }
};

// Thrown by a wait for threads that have not come for too long.
class Overdue final : public std::exception {
 public:
  const char* what() const noexcept override { return "other threads have not come"; }
};

}  // namespace singa
