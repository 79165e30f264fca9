// Exceptions of threads that wait for other threads in vain.
#pragma once

#include <exception>

namespace singa {

// Thrown where a thread waits for others of which one has failed: that one's error says why.
class Stopped final : public std::exception {
 public:
  const char* what() const noexcept override { return "another thread has failed"; }
};

// Thrown where the others have not come for too long.
class Overdue final : public std::exception {
 public:
  const char* what() const noexcept override { return "other threads have not come"; }
};

}  // namespace singa
