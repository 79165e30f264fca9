// Measures local response normalisation of the examples' nets and of AlexNet. Forward reads x,
// writes y and kept numbers. Backward reads x, dy and the kept numbers, and writes dx.
#include "memory_kernel.h"
#include "nn/neuron/lrn.h"

namespace singa {
namespace {

KernelMaker Make(const LrnDesc& desc, bool forward) {
  return [=](Context& ctx) {
    const std::shared_ptr<LrnPlan> plan = MakeLrn.Make(ctx, desc);
    Tensor x = Numbers(desc.shape.size()), dy = Numbers(x.size()), out = Numbers(x.size());
    Tensor kept = Tensor::Allocate({plan->kept_bytes() + 1}, DType::kU8);
    Tensor scratch = Tensor::Allocate({plan->scratch_bytes() + 1}, DType::kU8);
    ctx.scratch = scratch.as<uint8_t>();
    plan->Forward(ctx, x.data(), out.data(), kept.as<uint8_t>());
    return [=, &ctx]() mutable {
      ctx.scratch = scratch.as<uint8_t>();
      if (forward)
        plan->Forward(ctx, x.data(), out.data(), kept.as<uint8_t>());
      else
        plan->Backward(ctx, x.data(), dy.data(), kept.as<uint8_t>(), out.data());
    };
  };
}

bool Add(const char* net, ImageShape shape, int64_t size) {
  const LrnDesc desc = {.shape = shape, .size = size};
  const int64_t bytes = shape.size() * static_cast<int64_t>(sizeof(float));
  return AddMemoryKernel(std::string("LRN forward, ") + net, 3 * bytes, Make(desc, true)) &&
         AddMemoryKernel(std::string("LRN backward, ") + net, 4 * bytes, Make(desc, false));
}

[[maybe_unused]] const bool added = Add("CIFAR-10 norm1", {100, 32, 15, 15}, 3) &&
                                    Add("CIFAR-10 norm2", {100, 32, 7, 7}, 3) &&
                                    Add("AlexNet norm1", {32, 96, 27, 27}, 5);

}  // namespace
}  // namespace singa
