// TestGru is the GRU of v0.3 in plain loops (reset after the recurrent product), for tests of
// unrolling. It runs one step at a time or a folded sequence. A test that includes this file
// registers it as a user type.
//   z = sig(x Wz + h' Uz), r = sig(x Wr + h' Ur), c = tanh(r (h' Uc) + x Wc), h = z h' + (1 - z) c
#pragma once

#include <cmath>
#include <cstring>

#include "singa/nn/layer.h"

namespace singa {

class TestGru final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.sequence = true, .recurrent = true}; }

  // x: [b, v] or [steps, b, v]; source 1: the state before, [b, h]; W: [3, h, v]; U: [3, h, h].
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1, 2);
    const Shape& x = in[0]->data.shape();
    sequence_ = x.dims() == 3;
    steps_ = sequence_ ? x[0] : 1;
    b_ = x[x.dims() - 2];
    v_ = x[x.dims() - 1];
    h_ = conf.gru_conf().dim_hidden();
    w_ = declare.Param(0, {3, h_, v_});
    u_ = declare.Param(1, {3, h_, h_});
    gates_ = declare.Buffer({steps_, b_, 4, h_}, Keep::kForwardToBackward);  // z, r, c, h' Uc
    declare.Scratch(2 * b_ * h_ * static_cast<int64_t>(sizeof(float)));
    out[0]->data.SetShape(sequence_ ? Shape({steps_, b_, h_}) : Shape({b_, h_}));
  }
  Traits traits() const override { return {.grad_reads_in = true, .grad_reads_out = true}; }

  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t t = 0; t < steps_; ++t)
      for (int64_t r = 0; r < b_; ++r) {
        const float* x = in[0]->data.data() + (t * b_ + r) * v_;
        float* gates = gates_->data() + (t * b_ + r) * 4 * h_;
        const float* before = Before(in, out, t, r);
        for (int64_t j = 0; j < h_; ++j) {
          const float z = Sigmoid(Dot(w_, 0, j, x, v_) + Dot(u_, 0, j, before, h_));
          const float reset = Sigmoid(Dot(w_, 1, j, x, v_) + Dot(u_, 1, j, before, h_));
          const float hu = Dot(u_, 2, j, before, h_);
          const float c = std::tanh(reset * hu + Dot(w_, 2, j, x, v_));
          gates[j] = z, gates[h_ + j] = reset, gates[2 * h_ + j] = c, gates[3 * h_ + j] = hu;
          out[0]->data.data()[(t * b_ + r) * h_ + j] = z * (before ? before[j] : 0) + (1 - z) * c;
        }
      }
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    float* carry = static_cast<float*>(ctx.scratch);  // [b, h]: d loss / d h of the step before
    float* next = carry + b_ * h_;
    std::memset(carry, 0, b_ * h_ * sizeof(float));
    Scale(w_);
    Scale(u_);
    if (!in[0]->grad.empty()) std::memset(in[0]->grad.data(), 0, in[0]->grad.bytes());
    for (int64_t t = steps_; t-- > 0;) {
      std::memset(next, 0, b_ * h_ * sizeof(float));
      for (int64_t r = 0; r < b_; ++r) StepGradient(in, out, t, r, carry + r * h_, next + r * h_);
      std::memcpy(carry, next, b_ * h_ * sizeof(float));
    }
    if (in.size() > 1 && !in[1]->grad.empty())
      std::memcpy(in[1]->grad.data(), carry, b_ * h_ * sizeof(float));
  }

 private:
  static float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
  static void Scale(Param* param) {
    for (int64_t i = 0; i < param->size(); ++i) param->grad.data()[i] *= param->beta();
  }
  static float Dot(const Param* param, int64_t gate, int64_t j, const float* x, int64_t n) {
    if (!x) return 0;
    const float* row = param->data.data() + (gate * param->shape()[1] + j) * n;
    float sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += row[i] * x[i];
    return sum;
  }
  // Returns row r of the state before step t. Null: zeros.
  const float* Before(Inputs in, Outputs out, int64_t t, int64_t r) const {
    if (t > 0) return out[0]->data.data() + ((t - 1) * b_ + r) * h_;
    return in.size() > 1 ? in[1]->data.data() + r * h_ : nullptr;
  }
  // Adds delta (outer) x to a gate's gradient row and delta * row to dx.
  static void Accumulate(Param* param, int64_t gate, int64_t j, float delta, const float* x,
                         int64_t n, float* dx) {
    const int64_t row = (gate * param->shape()[1] + j) * n;
    for (int64_t i = 0; i < n; ++i) {
      if (x) param->grad.data()[row + i] += delta * x[i];
      if (dx) dx[i] += delta * param->data.data()[row + i];
    }
  }
  void StepGradient(Inputs in, Outputs out, int64_t t, int64_t r, const float* carry, float* dh) {
    const float* x = in[0]->data.data() + (t * b_ + r) * v_;
    float* dx = in[0]->grad.empty() ? nullptr : in[0]->grad.data() + (t * b_ + r) * v_;
    const float* before = Before(in, out, t, r);
    const float* gates = gates_->data() + (t * b_ + r) * 4 * h_;
    for (int64_t j = 0; j < h_; ++j) {
      const float g = out[0]->grad.data()[(t * b_ + r) * h_ + j] + carry[j];
      const float z = gates[j], reset = gates[h_ + j], c = gates[2 * h_ + j];
      const float dz = g * ((before ? before[j] : 0) - c) * z * (1 - z);
      const float dc = g * (1 - z) * (1 - c * c);
      const float dr = dc * gates[3 * h_ + j] * reset * (1 - reset);
      dh[j] += g * z;
      const float delta[] = {dz, dr, dc};
      const float through[] = {dz, dr, dc * reset};
      for (int64_t gate = 0; gate < 3; ++gate) {
        Accumulate(w_, gate, j, delta[gate], x, v_, dx);
        Accumulate(u_, gate, j, through[gate], before, h_, dh);
      }
    }
  }

  bool sequence_ = false;
  int64_t steps_ = 1, b_ = 0, v_ = 0, h_ = 0;
  Param *w_ = nullptr, *u_ = nullptr;
  Tensor* gates_ = nullptr;
};

}  // namespace singa
