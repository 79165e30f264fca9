#include "nn/neuron/attention_plan.h"

namespace singa {
namespace {

// Calls AttentionForward and AttentionBackward. They take all shapes.
class AttentionByKernels final : public AttentionPlan {
 public:
  AttentionByKernels(const Context& ctx, const AttentionDesc& desc)
      : name_(AttentionForward.Choice(ctx)), scratch_(AttentionScratch(desc.shape, desc.threads)) {}

  const char* name() const override { return name_; }
  int64_t scratch_bytes() const override { return scratch_; }
  void Forward(Context& ctx, const AttentionFeature& f) override { AttentionForward(ctx, f); }
  void Backward(Context& ctx, const AttentionGradient& g) override { AttentionBackward(ctx, g); }

 private:
  const char* const name_;
  const int64_t scratch_;
};

std::unique_ptr<AttentionPlan> MakeOfKernels(Context& ctx, const AttentionDesc& desc) {
  return std::make_unique<AttentionByKernels>(ctx, desc);
}

[[maybe_unused]] const bool registered = MakeAttention.Set(Device::kCpu, MakeOfKernels) &&
                                         MakeAttention.Set(Device::kCuda, MakeOfKernels);

}  // namespace
}  // namespace singa
