// Measures random cuts of CIFAR-10's images, padded by 4 as in examples/cifar10/bn.conf, and of
// ImageNet's.
#include "memory_kernel.h"
#include "nn/input/image_preprocess.h"

namespace singa {
namespace {

bool Add(const char* name, ImageShape shape, int64_t side, int32_t pad) {
  const ImageShape cut = {shape.n, shape.c, side, side};
  const int64_t bytes = 2 * cut.size() * static_cast<int64_t>(sizeof(float));
  return AddMemoryKernel(name, bytes, [=](Context& ctx) -> std::function<void()> {
    std::vector<Cut> cuts;
    for (int64_t i = 0; i < shape.n; ++i) {
      const auto room = static_cast<int32_t>(shape.h + 2 * pad - side + 1);
      const auto n = static_cast<int32_t>(i);
      cuts.push_back({n * 5 % room - pad, n * 3 % room - pad, n % 2});
    }
    Tensor x = Numbers(shape.size()), y = Numbers(cut.size());
    return [=, &ctx]() mutable {
      CutImages(ctx, x.data(), shape, nullptr, cuts.data(), 1, y.data(), side, side);
    };
  });
}

[[maybe_unused]] const bool added = Add("CutImages, 128 of CIFAR-10", {128, 3, 32, 32}, 32, 4) &&
                                    Add("CutImages, 32 of ImageNet", {32, 3, 256, 256}, 227, 0);

}  // namespace
}  // namespace singa
