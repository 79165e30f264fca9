// Memory bounds the speed of an update, so it is read and written 16 bytes at a time if addresses
// allow.
#include "train/updater/update_kernels.h"

#include "tensor/kernel/launch.cuh"
#include "train/updater/update_block.h"
#include "train/updater/update_elements.h"

namespace singa {
namespace {

// At most kBlocks blocks loop over all chunks, since small pieces have far fewer chunks than the
// largest.
template <typename Element, size_t kStates>
void UpdateOnDevice(Context& ctx, const UpdateBatch& batch) {
  using Chunks = UpdateChunks<Element, kStates>;
  const Chunks chunks{batch};
  const int64_t n = chunks.blocks();
  if (n == 0) return;
  Launch(ctx, ForEachBlockKernel<kThreads, Chunks>, std::min(n, kBlocks), kThreads, n, chunks);
}

[[maybe_unused]] const bool registered =
    SgdUpdate.Set(Device::kCuda, UpdateOnDevice<SgdElement, 0>) &&
    MomentumUpdate.Set(Device::kCuda, UpdateOnDevice<SgdElement, 1>) &&
    NesterovUpdate.Set(Device::kCuda, UpdateOnDevice<NesterovElement, 1>) &&
    AdaGradUpdate.Set(Device::kCuda, UpdateOnDevice<AdaGradElement, 1>) &&
    RmsPropUpdate.Set(Device::kCuda, UpdateOnDevice<RmsPropElement, 1>) &&
    AdaDeltaUpdate.Set(Device::kCuda, UpdateOnDevice<AdaDeltaElement, 2>) &&
    AdamUpdate.Set(Device::kCuda, UpdateOnDevice<AdamElement, 2>) &&
    AdamWUpdate.Set(Device::kCuda, UpdateOnDevice<AdamWElement, 2>) &&
    AdaMaxUpdate.Set(Device::kCuda, UpdateOnDevice<AdaMaxElement, 2>) &&
    AverageUpdate.Set(Device::kCuda, UpdateOnDevice<AverageElement, 1>);

}  // namespace
}  // namespace singa
