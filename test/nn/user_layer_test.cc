// Tests that types and user_types have separate tables.
#include <gtest/gtest.h>

#include "support/layer_test.h"

namespace singa {
namespace {

// Twice is y = 2 x.
class Twice final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape(in[0]->data.shape());
  }
  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    for (int64_t i = 0; i < in[0]->data.size(); ++i)
      out[0]->data.data()[i] = 2 * in[0]->data.data()[i];
  }
};
SINGA_REGISTER_LAYER(kReLU, Twice);

class UserLayerTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(UserLayerTest);

TEST_P(UserLayerTest, MayHaveTheNameOfAType) {
  EXPECT_EQ(Feature("user_type: 'kReLU'", {1, 2}, {-1, 3}), (Values{-2, 6}));
  EXPECT_EQ(Feature("type: kReLU", {1, 2}, {-1, 3}), (Values{0, 3}));
}

TEST_P(UserLayerTest, IsNoTypeOfSinga) {
  EXPECT_CONFIG_ERROR_SAYS(Build("user_type: 'kSTanh'", {1, 2}), "user_type",
                           "no layer is registered as \"kSTanh\"; singa's own is type: kSTanh");
  EXPECT_CONFIG_ERROR_SAYS(Build("user_type: 'kRelu'", {1, 2}), "user_type",
                           "did you mean \"kReLU\"?");
}

}  // namespace
}  // namespace singa
