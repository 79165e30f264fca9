#include "nn/neuron/inner_product.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "base/round_up.h"
#include "math/cpu_dispatch.h"
#include "math/elementwise/elementwise.h"
#include "math/gemm/gemm_kernel.h"
#include "math/layout/transpose.h"
#include "math/parallel_slices.h"
#include "math/scratch_layout.h"
#include "nn/feature/flat_rows.h"
#include "nn/feature/own_units.h"
#include "nn/neuron/activation.h"
#include "singa/math/gemm.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

SINGA_CPU_CLONES void AddRow(const float* __restrict b, float* __restrict y, int64_t h) {
  for (int64_t j = 0; j < h; ++j) y[j] += b[j];
}

void Add(Context&, const float* b, float* y, int64_t n, int64_t h) {
  for (int64_t r = 0; r < n; ++r) AddRow(b, y + r * h, h);
}

// Adds up columns [begin, end) of all rows, in the order of the rows.
SINGA_CPU_CLONES void SumColumns(const float* __restrict dy, float beta, float* __restrict db,
                                 int64_t n, int64_t h, int64_t begin, int64_t end) {
  for (int64_t j = begin; j < end; ++j) db[j] = beta == 0 ? 0 : beta * db[j];
  for (int64_t r = 0; r < n; ++r)
    for (int64_t j = begin; j < end; ++j) db[j] += dy[r * h + j];
}

void Sum(Context&, const float* dy, float beta, float* db, int64_t n, int64_t h) {
  constexpr int64_t kColumns = 1024;  // columns of db that stay in the first-level cache
  for (int64_t j = 0; j < h; j += kColumns)
    SumColumns(dy, beta, db, n, h, j, std::min(h, j + kColumns));
}

void Feature(Context& ctx, const float* x, GemmOperand w, const float* b, float* y, int64_t n,
             int64_t h, int64_t v, float*) {
  Gemm(ctx, n, h, v, 1, {x, v}, w, 0, y, h);
  if (b) AddBias(ctx, b, y, n, h);
}

[[maybe_unused]] const bool registered = InnerProductFeature.Set(Device::kCpu, Feature) &&
                                         AddBias.Set(Device::kCpu, Add) &&
                                         SumBiasGradient.Set(Device::kCpu, Sum);

class InnerProductLayer final : public Layer {
 public:
  // A worker's units of a transposed weight are columns, which are no run of the param's memory.
  Wiring wiring(const LayerProto& conf) const override {
    const bool transposed = conf.innerproduct_conf().transpose();
    return {.row_wise = true, .unit_cut = transposed ? UnitCut::kNone : UnitCut::kOwn};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const InnerProductProto& ip = conf.innerproduct_conf();
    flat_ = FlatRows(in[0]->data.shape());
    rows_ = flat_.rows();
    inputs_ = flat_.row_size();
    const UnitSpan own = OwnUnits(conf, "innerproduct_conf.num_output", ip.num_output());
    outputs_ = own.count;
    transposed_ = ip.transpose();
    const ParamGenProto init = UniformValues(1 / std::sqrt(inputs_));  // as torch.nn.Linear
    weight_ = transposed_ ? declare.Param(0, {inputs_, outputs_}, init)
                          : declare.Param(0, {own.all, inputs_}, own, init);
    // A weight that the layer shares has the form of its owner.
    if (transposed_ && weight_->layer() == conf.name()) weight_->SetTransposed();
    declare.InPieces(weight_);
    declare.Uses(InnerProductFeature, GemmKernel, TransposeEach);
    if (ip.bias_term()) bias_ = declare.Param(1, {own.all}, own, init);
    if (ip.bias_term()) declare.Uses(AddBias, SumBiasGradient);
    if (!flat_.in_order()) logical_x_ = declare.Buffer({rows_, inputs_}, Keep::kForwardToBackward);
    out[0]->data.SetShape({rows_, outputs_});
    out[0]->units = own;
  }

  Traits traits() const override {
    return {.grad_reads_in = logical_x_ == nullptr, .on_device = true, .linear = true};
  }

  Work work() const override {
    const double products =
        static_cast<double>(rows_) * static_cast<double>(inputs_) * static_cast<double>(outputs_);
    return {2 * products, 2 * products, 2 * products};
  }

  bool Fuse(const LayerProto& reader) override {
    function_ = SmoothFunctionOf(reader);
    return function_.has_value();
  }

  void Prepare(Context&, Declare& declare, Inputs in, Outputs out) override {
    declare.Scratch(out[0]->data.bytes());
    if (!function_) {
      if (logical_x_) declare.Scratch(in[0]->data.bytes());
      return;
    }
    const bool gelu = function_ == GELU;
    if (out[0]->wants_grad) {
      slope_ = declare.Buffer(out[0]->data.shape(), Keep::kForwardToBackward);
      declare.Uses(gelu ? GeluWithSlope : SiluWithSlope, Multiply);
    } else {
      declare.Uses(gelu ? GeluForward : SiluForward);
    }
    ScratchLayout scratch;  // the gradient of the products, at 0, then that of the logical source
    scratch.AddFloats(out[0]->data.size());
    logical_dx_ = scratch.AddFloats(logical_x_ ? in[0]->data.size() : 0);
    declare.Scratch(scratch.bytes());
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    const float* x = in[0]->data.data();
    if (logical_x_) {
      flat_.FromStored(ctx, x, logical_x_->data());
      x = logical_x_->data();
    }
    float* const y = out[0]->data.data();
    const float* const b = bias_ ? bias_->data.data() : nullptr;
    const bool in_blocks = function_ && !ctx.stream;
    InnerProductFeature(ctx, x, Weight(!transposed_), in_blocks ? nullptr : b, y, rows_, outputs_,
                        inputs_, static_cast<float*>(ctx.scratch));
    if (in_blocks)
      AddBiasAndApply(ctx, b, y);
    else if (function_)
      Apply(ctx, y, 0, rows_ * outputs_);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const float* dy = out[0]->grad.data();
    const float* x = logical_x_ ? logical_x_->data() : in[0]->data.data();
    if (function_) {
      float* const dz = static_cast<float*>(ctx.scratch);
      Multiply(ctx, dy, slope_->data(), dz, rows_ * outputs_);
      dy = dz;
    }
    if (!in[0]->grad.empty()) InputGradient(ctx, dy, in[0]->grad.data());  // before w changes
    if (bias_ && !bias_->grad.empty())
      SumBiasGradient(ctx, dy, bias_->beta(), bias_->grad.data(), rows_, outputs_);
    if (weight_->sink)
      GivePieces(x, dy);
    else if (!weight_->grad.empty())
      WeightGradient(ctx, x, dy, 0, weight_->shape()[0], weight_->beta(), weight_->grad.data());
  }

 private:
  // Applies the function to n elements of y, from element `at` on, in place.
  void Apply(Context& ctx, float* y, int64_t at, int64_t n) const {
    y += at;
    if (slope_)
      (function_ == GELU ? GeluWithSlope : SiluWithSlope)(ctx, y, y, slope_->data() + at, n);
    else
      (function_ == GELU ? GeluForward : SiluForward)(ctx, y, y, n);
  }

  // Adds the bias to the products y and applies the function, to some rows at a time while they are
  // in the cache. Blocks are whole cache lines, so vectors are the same as in one call for all
  // rows.
  void AddBiasAndApply(const Context& ctx, const float* b, float* y) const {
    constexpr int64_t kBlockFloats = 4096, kBlockRows = 16;
    const int64_t most =
        RoundUp(std::max<int64_t>(1, kBlockFloats / outputs_), kBlockRows) * outputs_;
    const auto work = [=, this, &ctx](int64_t begin, int64_t end, int64_t slice) {
      Context own = ctx;
      own.threads = 1;
      if (slice > 0) own.trace = nullptr;
      for (int64_t at = begin; at < end; at += most) {
        const int64_t n = std::min(most, end - at);
        if (b) AddBias(own, b, y + at, n / outputs_, outputs_);
        Apply(own, y, at, n);
      }
    };
    ParallelSlices(ctx, rows_ * outputs_, most, work);
  }

  // Returns the weight as stored, or with `flip` its transpose.
  GemmOperand Weight(bool flip) const {
    return {weight_->data.data(), transposed_ ? outputs_ : inputs_, flip};
  }

  // Computes rows [first, first + rows) of the weight's gradient. The weight is stored as [outputs,
  // inputs] or transposed.
  void WeightGradient(Context& ctx, const float* x, const float* dy, int64_t first, int64_t rows,
                      float beta, float* dw) const {
    const float* left = transposed_ ? x : dy;
    const float* right = transposed_ ? dy : x;
    const int64_t columns = weight_->shape()[1];
    Gemm(ctx, rows, columns, rows_, 1, Transposed(left + first, weight_->shape()[0]),
         {right, columns}, beta, dw, columns);
  }

  void GivePieces(const float* x, const float* dy) const {
    const auto rows = [&](Context& ctx, int64_t first, int64_t n, float* piece) {
      WeightGradient(ctx, x, dy, first, n, 0, piece);
    };
    weight_->sink->Consume(weight_, std::ref(rows));
  }

  void InputGradient(Context& ctx, const float* dy, float* dx) const {
    float* const logical_dx = logical_x_ ? static_cast<float*>(ctx.scratch) + logical_dx_ : dx;
    Gemm(ctx, rows_, inputs_, outputs_, 1, {dy, outputs_}, Weight(transposed_), 0, logical_dx,
         inputs_);
    if (logical_x_) flat_.ToStored(ctx, logical_dx, dx);
  }

  FlatRows flat_;  // weights use the order (c, h, w); the source may be stored in another
  int64_t rows_ = 0, inputs_ = 0, outputs_ = 0;
  bool transposed_ = false;
  Param* weight_ = nullptr;
  Param* bias_ = nullptr;                   // null: none
  Tensor* logical_x_ = nullptr;             // copy of the source in logical order; null: not needed
  std::optional<ActivationType> function_;  // of a reader whose work the layer does
  Tensor* slope_ = nullptr;  // that function's derivative; null: there is no backward pass
  int64_t logical_dx_ = 0;   // place in scratch
};

SINGA_REGISTER_LAYER(kInnerProduct, InnerProductLayer);

}  // namespace
}  // namespace singa
