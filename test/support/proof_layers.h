// These are small layers with formulas that fit a line, for tests of nets. A test that includes
// this file registers them as user types.
#pragma once

#include <cstring>

#include "nn/feature/own_units.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {

// TestInput has [2, 3] rows (or `shape` of dummy_conf) of fixed numbers. Worker i has rows
// [i B / K, (i + 1) B / K). As a source of an unrolled net, output t is time step t.
class TestInput final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    const int outputs = std::max(1, conf.split_conf().num_splits());
    return {.num_outputs = outputs,
            .outputs_are_steps = outputs > 1,
            .is_input = true,
            .differentiable = false};
  }
  void Setup(const LayerProto& conf, Declare&, Inputs, Outputs out) override {
    name_ = conf.name();
    const int64_t batch = conf.dummy_conf().shape(0);
    const int64_t i = conf.partition_id(), k = std::max(1, conf.num_partitions());
    for (Port* port : out) {
      port->span.first = i * batch / k;
      port->span.rows = (i + 1) * batch / k - port->span.first;
      port->span.batch = batch;
      port->data.SetShape({port->span.rows, conf.dummy_conf().shape(1)});
      port->label.SetShape({port->span.rows}, DType::kI32);
    }
  }
  void ComputeFeature(Context& ctx, Phase, Inputs, Outputs out) override {
    const Philox random{ctx.seed, HashName(name_), 0};
    uint64_t output = 0;  // index of the output's first number
    for (Port* port : out) {
      const int64_t units = port->data.row_size();
      const uint64_t first = output + port->span.first * units;
      for (int64_t i = 0; i < port->data.size(); ++i)
        port->data.data()[i] = 2 * random.Uniform(first + i) - 1;
      output += port->span.batch * units;
    }
  }

 private:
  std::string name_;
};

// y = x w^T. x: [n, v]; w: [h, v], h of innerproduct_conf; y: [n, h].
class TestLinear final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .unit_cut = UnitCut::kOwn};
  }
  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const int64_t h = conf.innerproduct_conf().num_output();
    const UnitSpan own = OwnUnits(conf, "innerproduct_conf.num_output", h);
    w_ = declare.Param(0, {h, in[0]->data.row_size()}, own);
    out[0]->data.SetShape({in[0]->data.rows(), own.count});
    out[0]->units = own;
  }
  Traits traits() const override { return {.grad_reads_in = true}; }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    const int64_t n = in[0]->data.rows(), v = w_->shape()[1], h = w_->shape()[0];
    const float *x = in[0]->data.data(), *w = w_->data.data();
    for (int64_t r = 0; r < n; ++r)
      for (int64_t j = 0; j < h; ++j) {
        float sum = 0;
        for (int64_t c = 0; c < v; ++c) sum += x[r * v + c] * w[j * v + c];
        out[0]->data.data()[r * h + j] = sum;
      }
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    const int64_t n = in[0]->data.rows(), v = w_->shape()[1], h = w_->shape()[0];
    const float *x = in[0]->data.data(), *w = w_->data.data(), *dy = out[0]->grad.data();
    float* dw = w_->grad.data();
    for (int64_t i = 0; i < h * v; ++i) dw[i] *= w_->beta();
    if (!in[0]->grad.empty()) std::memset(in[0]->grad.data(), 0, in[0]->grad.bytes());
    for (int64_t r = 0; r < n; ++r)
      for (int64_t j = 0; j < h; ++j)
        for (int64_t c = 0; c < v; ++c) {
          dw[j * v + c] += dy[r * h + j] * x[r * v + c];
          if (!in[0]->grad.empty()) in[0]->grad.data()[r * v + c] += dy[r * h + j] * w[j * v + c];
        }
  }

 private:
  Param* w_ = nullptr;
};

// Output 0 is 2 x, output 1 is x^2.
class TestTwo final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.num_outputs = 2, .row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    for (Port* port : out) port->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {.grad_reads_in = true}; }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < in[0]->data.size(); ++i) {
      const float x = in[0]->data.data()[i];
      out[0]->data.data()[i] = 2 * x;
      out[1]->data.data()[i] = x * x;
    }
  }
  void ComputeGradient(Context&, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    for (int64_t i = 0; i < in[0]->data.size(); ++i) {
      const float x = in[0]->data.data()[i];
      in[0]->grad.data()[i] = (out[0]->grad.empty() ? 0 : 2 * out[0]->grad.data()[i]) +
                              (out[1]->grad.empty() ? 0 : 2 * x * out[1]->grad.data()[i]);
    }
  }
};

// loss = sum over sources k and rows of (k + 1) |x_k|^2 / 2, per row of the batch.
class TestLoss final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1, 100);
    loss_ = declare.Metric("loss");
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {.grad_reads_in = true, .originates_gradient = true}; }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs) override {
    double loss = 0;
    for (size_t k = 0; k < in.size(); ++k)
      for (int64_t i = 0; i < in[k]->data.size(); ++i)
        loss += (k + 1) * 0.5 * in[k]->data.data()[i] * in[k]->data.data()[i];
    loss_->Add(loss, static_cast<double>(in[0]->data.rows()));
  }
  void ComputeGradient(Context&, Inputs in, Outputs) override {
    for (size_t k = 0; k < in.size(); ++k) {
      if (in[k]->grad.empty()) continue;
      for (int64_t i = 0; i < in[k]->data.size(); ++i)
        in[k]->grad.data()[i] =
            (k + 1) * in[k]->data.data()[i] / static_cast<float>(in[k]->span.batch);
    }
  }

 private:
  Metric* loss_ = nullptr;
};

}  // namespace singa
