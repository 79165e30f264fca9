// Attention by cuDNN's fused kernels, for precisions of 16 bits: the library has none for float32.
// Scratch holds copies of 16 bits. The library's dropout draws other random numbers than this
// project's, so layers with dropout keep to the project's kernels.
#include <glog/logging.h>

#include <limits>
#include <string>

#include "math/elementwise/half.h"
#include "math/scratch_layout.h"
#include "nn/neuron/attention_graphs.h"
#include "nn/neuron/attention_plan.h"
#include "singa/base/error.h"
#include "tensor/gpu/cuda_stream.h"

namespace singa {
namespace {

class CudnnAttention final : public AttentionPlan {
 public:
  CudnnAttention(const CudnnTarget& target, const AttentionDesc& desc, Precision precision)
      : n_(desc.shape.steps * desc.shape.rows * desc.shape.units()),
        graphs_(target, desc.shape, precision, desc.gradient, kCudnnWorkspace) {
    qkv_ = scratch_.Add(3 * n_ * kHalf);
    o_ = scratch_.Add(n_ * kHalf);
    if (desc.gradient) {
      d_o_ = scratch_.Add(n_ * kHalf);
      dqkv_ = scratch_.Add(3 * n_ * kHalf);
      delta_ = scratch_.Add(desc.shape.pairs() * desc.shape.steps * kFloat);
    }
    workspace_ = scratch_.Add(graphs_.workspace_bytes() + kCudnnAlignment);
  }

  const char* name() const override { return "cuDNN, 16 bits"; }
  int64_t scratch_bytes() const override { return scratch_.bytes(); }

  void Forward(Context& ctx, const AttentionFeature& f) override {
    ToHalf(ctx, f.qkv, Halves(f.scratch, qkv_), 3 * n_);
    graphs_.Forward(ctx, Halves(f.scratch, qkv_), Halves(f.scratch, o_), f.log_sum,
                    Workspace(f.scratch));
    FromHalf(ctx, Halves(f.scratch, o_), f.o, n_);
  }

  // Scratch may have changed since Forward. o is converted without loss, as it came from 16 bits.
  void Backward(Context& ctx, const AttentionGradient& g) override {
    ToHalf(ctx, g.qkv, Halves(g.scratch, qkv_), 3 * n_);
    ToHalf(ctx, g.o, Halves(g.scratch, o_), n_);
    ToHalf(ctx, g.d_o, Halves(g.scratch, d_o_), n_);
    graphs_.Backward(ctx, Halves(g.scratch, qkv_), Halves(g.scratch, o_), g.log_sum,
                     Halves(g.scratch, d_o_), Halves(g.scratch, dqkv_),
                     reinterpret_cast<float*>(At(g.scratch, delta_)), Workspace(g.scratch));
    FromHalf(ctx, Halves(g.scratch, dqkv_), g.dqkv, 3 * n_);
  }

 private:
  static constexpr int64_t kFloat = sizeof(float), kHalf = sizeof(uint16_t);

  static char* At(void* scratch, int64_t offset) { return static_cast<char*>(scratch) + offset; }
  static uint16_t* Halves(void* scratch, int64_t offset) {
    return reinterpret_cast<uint16_t*>(At(scratch, offset));
  }
  void* Workspace(void* scratch) const { return AlignedForCudnn(At(scratch, workspace_)); }

  const int64_t n_;  // numbers of o
  const AttentionGraphs graphs_;
  ScratchLayout scratch_;
  int64_t qkv_ = 0, o_ = 0, d_o_ = 0, dqkv_ = 0, delta_ = 0, workspace_ = 0;  // places in scratch
};

// The library computes rows of 16 bytes, counts elements by 32 bits, and has no backward pass of a
// single step.
bool FitsCudnn(const AttentionDesc& desc) {
  const AttentionShape& s = desc.shape;
  const double elements = 3 * static_cast<double>(s.steps) * static_cast<double>(s.rows) *
                          static_cast<double>(s.units());
  return s.width % 8 == 0 && s.width <= 256 && s.steps > 1 &&
         elements <= std::numeric_limits<int32_t>::max();
}

// From compute capability 10.0 on, cuDNN's heuristics choose other engines for the backward pass.
// Nobody has checked that two runs of these engines give the same bits.
bool IsDeterministicHere() {
  int device = 0, major = 0;
  CheckCuda(cudaGetDevice(&device), "the current device");
  CheckCuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device),
            "its compute capability");
  return major < 10;
}

// cuDNN 9.10.0 and 9.10.1 compute wrong values. Before 9.16 the backward pass is wrong if the
// number of steps is no multiple of 128.
constexpr int64_t kLeastVersion = 91600;

// Throws CudnnDeclines or DeviceError.
std::unique_ptr<AttentionPlan> AskCudnn(Context& ctx, const AttentionDesc& desc) {
  std::string why;
  if (!CudnnAvailable(&why)) throw CudnnDeclines{why};
  if (CudnnVersion() < kLeastVersion) throw CudnnDeclines{"cuDNN is older than version 9.16"};
  if (!IsDeterministicHere()) throw CudnnDeclines{"the GPU's compute capability is 10.0 or newer"};
  return std::make_unique<CudnnAttention>(CudnnTarget{.handle = CudnnHandleOf(ctx)}, desc,
                                          ctx.precision);
}

// No fault of the library ends a job: the project's kernels do the same work.
std::unique_ptr<AttentionPlan> MakeOfCudnn(Context& ctx, const AttentionDesc& desc) {
  if (!ctx.stream || !IsHalf(ctx.precision) || desc.drops || desc.keeps_steps || !FitsCudnn(desc))
    return nullptr;
  std::string why;
  try {
    return AskCudnn(ctx, desc);
  } catch (const CudnnDeclines& declined) {
    why = declined.why;
  } catch (const DeviceError& error) {
    why = error.what();
  }
  LOG(WARNING) << "layer \"" << ctx.layer << "\": its attention is computed in float32, which is "
               << "slower than cuDNN's fused kernels: " << why;
  return nullptr;
}

[[maybe_unused]] const bool registered =
    MakeAttention.Set(Device::kCuda, MakeOfCudnn, Rank::kVendor);

}  // namespace
}  // namespace singa
