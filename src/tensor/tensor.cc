#include "singa/tensor/tensor.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace singa {
namespace {

constexpr std::align_val_t kAlignment{64};

// Asks for huge pages in the part that whole ones fill. Without them a pass over a weight of 20 MB
// misses the TLB every 1024 floats. A kernel without huge pages refuses, which does no harm.
void AdviseHugePages(void* memory, size_t bytes) {
  constexpr uintptr_t kHugePage = uintptr_t{1} << 21;
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t begin = (address + kHugePage - 1) / kHugePage * kHugePage;
  const uintptr_t end = (address + bytes) / kHugePage * kHugePage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

Tensor Tensor::Allocate(const Shape& shape, DType type) {
  Tensor tensor;
  tensor.SetShape(shape, type);
  const size_t bytes = static_cast<size_t>(tensor.bytes());
  void* memory = ::operator new(bytes ? bytes : 1, kAlignment);
  AdviseHugePages(memory, bytes);
  std::memset(memory, 0, bytes);
  tensor.owner_ = std::shared_ptr<void>(memory, [](void* p) { ::operator delete(p, kAlignment); });
  tensor.memory_ = memory;
  return tensor;
}

}  // namespace singa
