// PartSums adds up gradients that a part of a group's workers compute, on their GPUs. They send
// each other what they have, and each adds it up in the order of the SumTree. If each worker
// computes the whole gradient (count 1), all take the first worker's.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/tensor/context.h"
#include "singa/tensor/stream.h"
#include "tensor/gpu/gpu_group.h"

namespace singa {

class PartSums {
 public:
  struct Gradient {
    float* floats;
    int64_t size;
    Contributors by;  // by.count > 0
  };

  // Makes the sums of one member of `group`. All that it is given must outlive it, and `stream` is
  // for transfers alone. All members have the same params. Throws DeviceError.
  PartSums(GpuGroup* group, const GpuMember& member, Context* ctx, Stream* stream,
           const std::vector<Gradient>& gradients);

  // Returns the floats that sums of a gradient of `size` floats by so many workers need beside it.
  static int64_t Floats(int64_t size, int contributors) {
    return (contributors - 1) * AlignedForGpu(size);
  }

  // Replaces the gradients by their sums. All of them must be complete. Does not wait for the sums;
  // later work of the context comes after them.
  void Add();

 private:
  // One gradient: terms[k] is what contributor k has, and the sum goes to the first term.
  struct Sum {
    std::vector<float*> terms;
    float* gradient;
    int64_t size;
  };
  void Plan(const Gradient& gradient, const GpuMember& member, float** room);
  void AddUp(const Sum& sum, SumNode node);

  GpuGroup* const group_;
  Context* const ctx_;
  Stream* const stream_;
  Tensor rooms_;
  std::vector<GpuTransfer> transfers_;
  std::vector<Sum> sums_;  // of several terms
};

}  // namespace singa
