#include "nn/input/one_hot.h"

#include <cstring>

#include "math/parallel_slices.h"
#include "nn/feature/own_units.h"
#include "nn/feature/row_index.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

void Forward(Context& ctx, const float* index, float* y, int64_t n, int64_t d, int64_t first) {
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    std::memset(y + begin, 0, (end - begin) * sizeof(float));
    for (int64_t r = begin / d; r < end / d; ++r) {
      const int64_t j = static_cast<int64_t>(index[r]) - first;
      if (j >= 0 && j < d) y[r * d + j] = 1;
    }
  });
}

[[maybe_unused]] const bool registered = OneHot.Set(Device::kCpu, Forward);

// data: (rows, vocab_size). A row of padding is all zeros.
class OneHotLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .differentiable = false, .unit_cut = UnitCut::kOwn};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    name_ = conf.name();
    RequireIndices(conf, *in[0]);
    size_ = conf.onehot_conf().vocab_size();
    CheckIndexRange("onehot_conf.vocab_size", size_);
    const UnitSpan own = OwnUnits(conf, "onehot_conf.vocab_size", size_);
    first_ = own.first;
    declare.Uses(OneHot);
    out[0]->data.SetShape({in[0]->data.rows(), own.count});
    out[0]->units = own;
  }

  Traits traits() const override { return {.on_device = true, .checks = 1}; }

  void CheckInputs(Phase, Inputs in) override { CheckIndices(name_, *in[0], size_, true); }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    Tensor& y = out[0]->data;
    OneHot(ctx, in[0]->data.data(), y.data(), y.rows(), y.row_size(), first_);
  }

 private:
  std::string name_;
  int64_t size_ = 0, first_ = 0;  // size of the vocabulary; first unit of this worker
};

SINGA_REGISTER_LAYER(kOneHot, OneHotLayer);

}  // namespace
}  // namespace singa
