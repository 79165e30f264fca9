#include "comm/codec/sparse_slices.h"

#include "comm/codec/sparse_slices_block.h"
#include "tensor/kernel/launch.cuh"

namespace singa {
namespace {

void Encode(Context& ctx, const SparseSlice* slices, int64_t count, SparseRule rule,
            SparsePair* codes) {
  ForEachBlock<SparseBlock::kMostThreads>(ctx, count, EncodeSparseSlice{slices, rule, codes});
}

void AddUp(Context& ctx, const SparseSlice* slices, int64_t count, const float* bad,
           SparseCodes codes, const StepState* state) {
  ForEachBlock<SparseBlock::kMostThreads>(ctx, count, AddUpSparseSlice{slices, bad, codes, state});
}

[[maybe_unused]] const bool registered =
    EncodeSparse.Set(Device::kCuda, Encode) && AddUpSparse.Set(Device::kCuda, AddUp);

}  // namespace
}  // namespace singa
