// RunTrial runs code of others in another process first, as it may end the process or hang.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace singa {

struct TrialEnd {
  enum Outcome : uint8_t {
    kReturned,
    kEnded,  // the process ended before, or `work` threw
    kLate,   // neither came within the limit
  };

  Outcome outcome = kReturned;
  std::string said;  // the first words that it wrote to stderr: a line, such as its exception
};

// Runs `work` in a copy of this process. Waits at most for `limit`, even if `work` starts
// processes; those in the trial's process group are killed. Throws Error if no process can be
// started.
TrialEnd RunTrial(const std::function<void()>& work, std::chrono::seconds limit);

}  // namespace singa
