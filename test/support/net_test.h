// TestNet is a net from the text of a NetProto, with memory for its params. Tests of nets and of
// algorithms start from it.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "nn/plan/net_builder.h"
#include "nn/plan/open_net.h"
#include "nn/plan/prepare_net.h"
#include "singa/nn/net.h"

namespace singa {

inline NetProto ParseNet(const std::string& text) {
  NetProto net;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &net)) << text;
  return net;
}

// Fills the tensor with values in [-1, 1) that differ from name to name.
inline void FillUniform(const std::string& name, Tensor* tensor) {
  const Philox random{7, HashName(name), 0};
  for (int64_t i = 0; i < tensor->size(); ++i)
    tensor->data()[i] = 2 * random.Uniform(static_cast<uint64_t>(i)) - 1;
}

// Returns options that give each tensor memory of its own, so that all are there after a step.
inline NetOptions KeepAll() {
  NetOptions options;
  options.reuse = false;
  return options;
}

struct TestNet {
  StepState state;
  Context ctx;
  ParamTable params;
  ConfigErrors errors;
  Net net;

  explicit TestNet(const std::string& text, NetOptions options = {}, bool allocate = true) {
    ctx.state = &state;
    ctx.seed = 1;
    net = BuildNet(ParseNet(text), options, &params, &errors);
    for (const ConfigError& error : errors) ADD_FAILURE() << error.what();
    if (!errors.empty() || !allocate) return;
    const NetMemory memory = PrepareNet(ctx, &net);
    for (const auto& param : params.params()) {
      param->data = Tensor::Allocate(param->shape());
      param->grad = Tensor::Allocate(param->shape());
      FillUniform(param->name(), &param->data);
    }
    OpenNet(ctx, NetArena::Allocate(ctx, memory), &net);
  }

  void Forward() {
    for (NetNode& node : net.nodes())
      net.ComputeFeature(ctx, node, static_cast<Phase>(kTrain | kForward));
  }
  void Backward() {
    net.BeginStep();
    for (auto node = net.nodes().rbegin(); node != net.nodes().rend(); ++node)
      net.ComputeGradient(ctx, *node);
  }
  std::vector<float> Grad(const std::string& param) {
    const Tensor& grad = params.Find(param)->grad;
    return {grad.data(), grad.data() + grad.size()};
  }
  // Returns the number whose gradient is tested: the losses of all steps, each summed over its rows
  // / the batch.
  double TakeLoss() {
    double loss = 0;
    for (NetNode& node : net.nodes())
      for (Metric& metric : node.declared().metrics) {
        loss += metric.cell.as<double>()[0] / static_cast<double>(net.batch());
        metric.cell.as<double>()[0] = metric.cell.as<double>()[1] = 0;
      }
    return loss;
  }
};

// Expects that d loss / d param by central differences agrees with the gradient of one backward
// pass.
inline void ExpectParamGradients(TestNet* test, float h = 1e-2f, double tolerance = 2e-3) {
  test->Forward();
  test->TakeLoss();
  test->Backward();
  for (const auto& param : test->params.params()) {
    const std::vector<float> grad = test->Grad(param->name());
    for (int64_t i = 0; i < param->size(); ++i) {
      const float w = param->data.data()[i];
      param->data.data()[i] = w + h;
      test->Forward();
      const double up = test->TakeLoss();
      param->data.data()[i] = w - h;
      test->Forward();
      const double down = test->TakeLoss();
      param->data.data()[i] = w;
      const double expected = (up - down) / (2.0 * h);
      EXPECT_NEAR(grad[i], expected, tolerance * std::max(1.0, std::abs(expected)))
          << param->name() << "[" << i << "]";
    }
  }
}

// Expects that a net computes the same in folded and unfolded form, and has so many nodes in each.
inline void ExpectBothFormsAgree(const std::string& text, size_t folded_nodes,
                                 size_t unfolded_nodes) {
  NetOptions unfold;
  unfold.fold = false;
  TestNet folded(text), unfolded(text, unfold);
  EXPECT_EQ(folded.net.nodes().size(), folded_nodes);
  EXPECT_EQ(unfolded.net.nodes().size(), unfolded_nodes);
  for (TestNet* test : {&folded, &unfolded}) test->Forward();
  EXPECT_NEAR(folded.TakeLoss(), unfolded.TakeLoss(), 1e-6);
  for (TestNet* test : {&folded, &unfolded}) test->Backward();
  for (const auto& param : folded.params.params()) {
    const std::vector<float> a = folded.Grad(param->name()), b = unfolded.Grad(param->name());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << param->name() << i;
  }
  ExpectParamGradients(&folded);
  ExpectParamGradients(&unfolded);
}

}  // namespace singa
