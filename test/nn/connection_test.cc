// Tests kSlice and kSplit.
#include "support/layer_test.h"
#include "support/net_test.h"
#include "support/proof_layers.h"

namespace singa {
namespace {
SINGA_REGISTER_LAYER(TestInput, TestInput);
SINGA_REGISTER_LAYER(TestLinear, TestLinear);
SINGA_REGISTER_LAYER(TestLoss, TestLoss);

class ConnectionTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(ConnectionTest);

Values Count(int64_t n) {
  Values values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(i);
  return values;
}

TEST_P(ConnectionTest, ASliceCutsUnevenSizesInLogicalOrder) {
  const RunResult rows = Gradients("type: kSlice slice_conf { num_slices: 2 }", {{{3, 2}}},
                                   {{1, 2}, {3, 4, 5, 6}}, {.params = {}});
  EXPECT_EQ(rows.input_grads[0], (Values{1, 2, 3, 4, 5, 6}));
  const RunResult channels = Gradients("type: kSlice slice_conf { slice_dim: 1 num_slices: 2 }",
                                       {{{1, 3, 1, 2}, Count(6)}}, {{10, 11}, {20, 21, 22, 23}});
  EXPECT_EQ(channels.outputs[0], (Values{0, 1}));
  EXPECT_EQ(channels.outputs[1], (Values{2, 3, 4, 5}));
  EXPECT_EQ(channels.input_grads[0], (Values{10, 11, 20, 21, 22, 23}));
}

TEST_P(ConnectionTest, SlicesMatchDifferences) {
  for (int dim = 0; dim < 4; ++dim)
    ExpectGradient(StrCat("type: kSlice slice_conf { slice_dim: ", dim, " num_slices: 2 }"),
                   {3, 5, 2, 3});
}

TEST_P(ConnectionTest, RejectWhatDoesNotFit) {
  EXPECT_CONFIG_ERROR(Build("type: kSlice slice_conf { slice_dim: 2 }", {2, 3}),
                      "slice_conf.slice_dim");
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kSlice slice_conf { num_slices: 4 }", {3, 3}),
                           "slice_conf.num_slices", "from 1 to 3");
  EXPECT_CONFIG_ERROR(Build("type: kSplit split_conf { num_splits: 0 }", {2, 3}),
                      "split_conf.num_splits");
}

TEST(Split, GivesItsSourceTheSumOfItsReadersGradients) {
  TestNet test(R"(
    layer { name: "data" user_type: "TestInput" dummy_conf { shape: 2 shape: 3 } }
    layer { name: "fc" user_type: "TestLinear" srclayers: "data" param { name: "w" }
            innerproduct_conf { num_output: 4 } }
    layer { name: "split" type: kSplit srclayers: "fc" split_conf { num_splits: 3 } }
    layer { name: "a" user_type: "TestLinear" srclayers: "split" param { name: "v" }
            innerproduct_conf { num_output: 4 } }
    layer { name: "loss" user_type: "TestLoss" srclayers: "split" srclayers: "a"
            srclayers: "split" })");
  EXPECT_EQ(test.net.Find("loss")->in[0]->data.data(), test.net.Find("fc")->out[0]->data.data());
  ExpectParamGradients(&test);
}

}  // namespace
}  // namespace singa
