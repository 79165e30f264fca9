// kRNNLabel gives the next characters of a text, as labels and as numbers. Time step t reads output
// t + 1 of its kCharRNN.
//   data: (rows), label: i32 [rows]
#include "nn/feature/row_index.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class RnnLabelLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.step_shift = 1, .row_wise = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    name_ = conf.name();
    RequireIndices(conf, *in[0]);
    const int64_t rows = in[0]->data.rows();
    out[0]->data.SetShape({rows});
    out[0]->label.SetShape({rows}, DType::kI32);
    out[0]->span = in[0]->span;
    --out[0]->span.first_step;  // the label belongs to the step before
  }

  Traits traits() const override { return {.checks = 1}; }

  void CheckInputs(Phase, Inputs in) override {
    CheckIndices(name_, *in[0], int64_t{1} << 24, true);
  }

  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    const float* next = in[0]->data.data();
    for (int64_t r = 0; r < in[0]->data.rows(); ++r) {
      out[0]->data.data()[r] = next[r];
      out[0]->label.as<int32_t>()[r] = static_cast<int32_t>(next[r]);
    }
  }

 private:
  std::string name_;
};

SINGA_REGISTER_LAYER(kRNNLabel, RnnLabelLayer);

}  // namespace
}  // namespace singa
