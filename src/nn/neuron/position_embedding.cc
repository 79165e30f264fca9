#include "nn/neuron/position_embedding.h"

#include <algorithm>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/neuron/unit_param.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void AddRow(const float* x, const float* __restrict row, float* y, int64_t d) {
#pragma omp simd
  for (int64_t j = 0; j < d; ++j) y[j] = x[j] + row[j];
}

void Forward(Context& ctx, const float* x, const float* table, float* y, int64_t steps,
             int64_t rows, int64_t d) {
  ParallelSlices(ctx, steps * rows * d, d, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin / d; r < end / d; ++r)
      AddRow(x + r * d, table + r / rows * d, y + r * d, d);
  });
}

SINGA_CPU_CLONES void AddRows(const float* __restrict dy, int64_t rows, int64_t stride,
                              float* __restrict sums, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r, dy += stride)
    for (int64_t j = 0; j < columns; ++j) sums[j] += dy[j];
}

// Each thread has some time steps.
void Backward(Context& ctx, const float* dy, float beta, float* dtable, int64_t steps, int64_t rows,
              int64_t d) {
  constexpr int64_t kColumns = 1024;  // sums that stay in the first-level cache
  ParallelSlices(ctx, steps * rows * d, rows * d, [=](int64_t begin, int64_t end) {
    for (int64_t t = begin / (rows * d); t < end / (rows * d); ++t) {
      float* const sums = dtable + t * d;
      if (beta == 0) std::fill_n(sums, d, 0.f);
      for (int64_t j = 0; j < d; j += kColumns)
        AddRows(dy + t * rows * d + j, rows, d, sums + j, std::min(kColumns, d - j));
    }
  });
}

[[maybe_unused]] const bool registered = PositionEmbeddingForward.Set(Device::kCpu, Forward) &&
                                         PositionEmbeddingBackward.Set(Device::kCpu, Backward);

// Param: table (max_steps, units). One node adds the table's rows of its own time steps: of all, or
// of the one that unroll_index names. In a net that computes one time step a batch
// (LayerProto.carried_steps) this is the step that Context::past says.
class PositionEmbeddingLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .carries_steps = true};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    RequireUnits(conf, *in[0]);
    const Shape& x = in[0]->data.shape();
    first_ = conf.unroll_index();
    steps_ = in[0]->span.steps;
    rows_ = in[0]->data.rows() / steps_;
    d_ = in[0]->data.row_size();
    const int64_t most = conf.position_embedding_conf().max_steps();
    carried_ = conf.carried_steps();
    CheckSteps(most);
    param_ = declare.Param(0, {most, d_}, GaussianValues(1));
    table_ = UnitParam(param_, x, first_, steps_);
    declare.Uses(PositionEmbeddingForward, PositionEmbeddingBackward);
    table_.DeclareUses(&declare);
    declare.Scratch(2 * table_.room());
    out[0]->data.SetShape(x);
  }

  Traits traits() const override {
    return {.in_place_with = 0, .on_device = true, .keeps_constants = true};
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    const Tensor& x = in[0]->data;
    const UnitParam table =
        carried_ > 0 ? UnitParam(param_, x.shape(), first_ + ctx.past, steps_) : table_;
    PositionEmbeddingForward(ctx, x.data(), table.Values(ctx, Room(ctx)), out[0]->data.data(),
                             steps_, rows_, d_);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const Tensor& dy = out[0]->grad;
    if (float* const to = table_.Gradient(Room(ctx))) {
      if (param_->beta() == 0) ZeroOtherRows(ctx);
      PositionEmbeddingBackward(ctx, dy.data(), table_.beta(), to, steps_, rows_, d_);
      table_.AddGradient(ctx, Room(ctx), Room(ctx) + steps_ * d_);
    }
    if (!in[0]->grad.empty()) CopyBytes(ctx, dy.data(), in[0]->grad.data(), dy.bytes());
  }

 private:
  void CheckSteps(int64_t most) const {
    const std::string field = "position_embedding_conf.max_steps";
    if (most < 1) throw ConfigError(field, StrCat("must be >= 1, is ", most));
    if (carried_ > 0 && first_ + steps_ > 1)
      throw ConfigError("unroll_len", "must be 1, as each batch of the net is one time step");
    const int64_t needed = std::max(first_ + steps_, carried_);
    if (most < needed)
      throw ConfigError(field,
                        StrCat("must be >= ", needed, ", one row for each time step; is ", most));
  }

  // Zeroes the gradient of rows whose time steps are not this node's.
  void ZeroOtherRows(Context& ctx) const {
    const int64_t before = first_ * d_, behind = before + steps_ * d_;
    ZeroFloats(ctx, param_->grad.data(), before);
    ZeroFloats(ctx, param_->grad.data() + behind, param_->size() - behind);
  }

  static float* Room(const Context& ctx) { return static_cast<float*>(ctx.scratch); }

  int64_t first_ = 0, steps_ = 0, carried_ = 0, rows_ = 0, d_ = 0;
  Param* param_ = nullptr;
  UnitParam table_;
};

SINGA_REGISTER_LAYER(kPositionEmbedding, PositionEmbeddingLayer);

}  // namespace
}  // namespace singa
