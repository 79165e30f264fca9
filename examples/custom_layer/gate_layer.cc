// Gate: y[i][j] = x[i][j] sigm(g[j]), g a number for each unit: how far it is open is learned.
//   dx = dy sigm(g),  dg[j] = sum over i of dy[i][j] x[i][j] sigm(g[j]) (1 - sigm(g[j]))
#include <cmath>

#include "gate.pb.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace {

using singa::ConfigError;

float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

class GateLayer final : public singa::Layer {
 public:
  singa::Wiring wiring(const singa::LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const singa::LayerProto& conf, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 1);
    const float open = conf.GetExtension(gate::gate_conf).open();
    if (!(open > 0 && open < 1))
      throw ConfigError("[gate.gate_conf].open", singa::StrCat("must be > 0 and < 1, is ", open));
    units_ = in[0]->data.row_size();
    gate_ = declare.Param(0, {units_}, std::log(open / (1 - open)));
    out[0]->data.SetShape(in[0]->data.shape());
  }

  singa::Traits traits() const override { return {.grad_reads_in = true}; }

  void ComputeFeature(singa::Context&, singa::Phase, singa::Inputs in,
                      singa::Outputs out) override {
    const float *x = in[0]->data.data(), *g = gate_->data.data();
    float* y = out[0]->data.data();
    for (int64_t i = 0; i < in[0]->data.size(); ++i) y[i] = x[i] * Sigmoid(g[i % units_]);
  }

  void ComputeGradient(singa::Context&, singa::Inputs in, singa::Outputs out) override {
    const float *x = in[0]->data.data(), *g = gate_->data.data(), *dy = out[0]->grad.data();
    const int64_t n = in[0]->data.size();
    if (!gate_->grad.empty()) {
      float* dg = gate_->grad.data();
      for (int64_t j = 0; j < units_; ++j) dg[j] *= gate_->beta();  // 0, or 1 where it is shared
      for (int64_t i = 0; i < n; ++i) {
        const float s = Sigmoid(g[i % units_]);
        dg[i % units_] += dy[i] * x[i] * s * (1 - s);
      }
    }
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * Sigmoid(g[i % units_]);
  }

 private:
  int64_t units_ = 0;
  singa::Param* gate_ = nullptr;
};
SINGA_REGISTER_LAYER(Gate, GateLayer);

}  // namespace
