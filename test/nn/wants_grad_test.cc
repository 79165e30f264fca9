// Tests Port::wants_grad, which layers read before there is memory.
#include "support/net_test.h"

namespace singa {
namespace {

constexpr char kNet[] = R"(
  layer { name: "x" type: kDummy dummy_conf { input: true shape: 4 shape: 5 } }
  layer { name: "t" type: kDummy dummy_conf { input: true shape: 4 shape: 2 } }
  layer { name: "fixed" type: kInnerProduct srclayers: "x"
          innerproduct_conf { num_output: 3 bias_term: false } param { name: "f" lr_scale: 0 } }
  layer { name: "low" type: kInnerProduct srclayers: "fixed"
          innerproduct_conf { num_output: 3 bias_term: false } param { name: "l" } }
  layer { name: "high" type: kInnerProduct srclayers: "low"
          innerproduct_conf { num_output: 2 bias_term: false } param { name: "h" } }
  layer { name: "loss" type: kEuclideanLoss srclayers: "high" srclayers: "t" })";

TEST(WantsGrad, SaysBeforeThereIsMemoryWhichGradientsGetSome) {
  TestNet test(kNet, KeepAll());
  for (const NetNode& node : test.net.nodes()) {
    for (const Port* port : node.in) EXPECT_EQ(port->wants_grad, !port->grad.empty()) << node.name;
    for (const Port* port : node.out) EXPECT_EQ(port->wants_grad, !port->grad.empty()) << node.name;
  }
  EXPECT_FALSE(test.net.Find("low")->in[0]->wants_grad);
  EXPECT_TRUE(test.net.Find("low")->out[0]->wants_grad);
  EXPECT_TRUE(test.net.Find("high")->in[0]->wants_grad);
}

TEST(WantsGrad, NobodyDoesWhereNothingTrains) {
  NetOptions options;
  options.gradients = false;
  TestNet test(kNet, options);
  for (const NetNode& node : test.net.nodes()) {
    for (const Port* port : node.in) EXPECT_FALSE(port->wants_grad) << node.name;
    for (const Port* port : node.out) EXPECT_FALSE(port->wants_grad) << node.name;
  }
}

}  // namespace
}  // namespace singa
