// Counts the cores that a process may run on, and binds it to some of them.
#pragma once

#include <sched.h>

#include <string>

namespace singa {

// Returns the number of cores that this process may run on: its affinity, as taskset, cpusets,
// Slurm and mpirun --bind-to set it. BindToCores does not change the number.
int AffinityCores();

// Returns how many of `cores` cores the process may use at once by the limit of its control group,
// at least 1. `root` is put before the paths of the system's files; tests use it.
int UsableCores(int cores = AffinityCores(), const std::string& root = "");

// Binds the calling thread, and threads that it makes later, to `count` cores: those after the
// `first` lowest ones that the process may run on. Returns false if the system refuses.
// REQUIRES: first >= 0, count > 0, first + count <= AffinityCores().
bool BindToCores(int first, int count);

// Lets the calling thread, and threads that it makes, run on all cores for as long as this lives.
// Does nothing in a process that BindToCores did not bind.
class AllCores {
 public:
  AllCores();
  ~AllCores();
  AllCores(const AllCores&) = delete;
  AllCores& operator=(const AllCores&) = delete;

 private:
  cpu_set_t before_;
  bool changed_ = false;
};

}  // namespace singa
