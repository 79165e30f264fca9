// JobMemory: bytes that a job takes, known before anything is allocated. Not counted is what
// the program and libraries take for themselves (CUDA's context and kernels, handles of cuBLAS and
// cuDNN, NCCL's buffers), nor what lies there for a moment.
#pragma once

#include <cstdint>

namespace singa {

// Bytes of memory that the machine has, or of those what the control group grants.
int64_t UsableMemory();

// On one side: the host, or all GPUs.
struct MemoryUse {
  int64_t params = 0, gradients = 0, updater = 0;
  int64_t arena = 0;      // shared by the nets of all phases
  int64_t unplanned = 0;  // what the train net's arena would take without reuse
  int64_t forever = 0;
  int64_t pinned = 0;  // of the host: what is on its way to GPUs or from there
  int64_t total() const { return params + gradients + updater + arena + forever + pinned; }
  void Add(const MemoryUse& other);
};

struct JobMemory {
  MemoryUse host, gpus;
  void Add(const JobMemory& other);
  // Throws DeviceError where the machine has too little.
  void Check() const;
};

}  // namespace singa
