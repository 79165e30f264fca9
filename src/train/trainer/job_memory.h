// JobMemory counts the bytes that a job needs, before anything is allocated. It does not count
// memory of the program and libraries (CUDA's context and kernels, handles of cuBLAS and cuDNN,
// NCCL's buffers), nor short-lived memory.
#pragma once

#include <cstdint>
#include <string>

namespace singa {

// Returns the bytes of memory that the machine has, or the control group's limit if that is lower.
int64_t UsableMemory();

// Throws DeviceError if `what`, such as "the job", needs more bytes than that.
void CheckFits(const std::string& what, int64_t bytes);

// The use on one side: the host, or all GPUs.
struct MemoryUse {
  int64_t params = 0, gradients = 0, updater = 0;
  int64_t arena = 0;      // shared by the nets of all phases
  int64_t unplanned = 0;  // bytes of the train net's arena without reuse
  int64_t forever = 0;
  int64_t pinned = 0;   // of the host, for copies to and from GPUs
  int64_t objects = 0;  // of the host, estimated: layers, and the code and blocks of libraries
  int64_t total() const {
    return params + gradients + updater + arena + forever + pinned + objects;
  }
  void Add(const MemoryUse& other);
};

struct JobMemory {
  MemoryUse host, gpus;
  void Add(const JobMemory& other);
  // Throws DeviceError if the machine has too little memory.
  void Check() const { CheckFits("the job", host.total()); }
};

}  // namespace singa
