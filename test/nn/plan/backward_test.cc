// Tests which nodes of a net run backward, and which gradients they give. train/param_exchange_test
// and train/cd_test have more tests on params of several layers, and on RBMs.
#include "nn/plan/backward.h"

#include <string>
#include <utility>
#include <vector>

#include "support/net_test.h"

namespace singa {
namespace backward_test {

constexpr char kData[] =
    "layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 2 shape: 3 } }\n";
constexpr char kThreeSteps[] =
    "unroll_len: 3 layer { name: 'text' user_type: 'TestInput' unroll_len: 1 "
    "split_conf { num_splits: 3 } dummy_conf { shape: 2 shape: 4 } }\n";

std::string Linear(const std::string& name, const std::string& source,
                   const std::string& param = "", const std::string& more = "") {
  return StrCat("layer { name: '", name, "' user_type: 'TestLinear' srclayers: '", source,
                "' innerproduct_conf { num_output: 3 } param { name: 'w", name, "' ", param, " } ",
                more, " }\n");
}

std::string LossOf(const std::string& source, const std::string& more = "") {
  return StrCat("layer { name: 'loss' user_type: 'TestLoss' srclayers: '", source, "' ", more,
                " }\n");
}

std::vector<std::string> Backwards(const std::string& text) {
  TestNet test(text);
  std::vector<std::string> names;
  for (const NetNode& node : test.net.nodes())
    if (node.runs_backward) names.push_back(node.name);
  return names;
}

// Returns (output, time step) of each gradient that nobody gives the layer.
std::vector<std::pair<int64_t, int64_t>> Ungiven(const std::string& text, const std::string& name) {
  TestNet test(text);
  const NetNode& node = *test.net.Find(name);
  std::vector<std::pair<int64_t, int64_t>> found;
  for (const NetNode::Unread& unread : node.unread)
    for (size_t k = 0; k < node.out.size(); ++k)
      if (unread.port == node.out[k]) found.emplace_back(static_cast<int64_t>(k), unread.step);
  return found;
}

TEST(Backward, ALayerThatNoLossReadsDoesNotRun) {
  EXPECT_EQ(Backwards(StrCat(kData, Linear("a", "data"), Linear("side", "data"), LossOf("a"))),
            (std::vector<std::string>{"a", "loss"}));
}

TEST(Backward, WithoutALossNothingRuns) {
  EXPECT_TRUE(Backwards(StrCat(kData, Linear("a", "data"), Linear("b", "a"))).empty());
}

TEST(Backward, ALossOfWeight0DoesNotRun) {
  EXPECT_TRUE(Backwards(StrCat(kData, Linear("a", "data"), LossOf("a", "loss_weight: 0"))).empty());
  EXPECT_EQ(Backwards(StrCat(kData, Linear("a", "data"), Linear("b", "a"), LossOf("a"),
                             "layer { name: 'other' user_type: 'TestLoss' srclayers: 'b' "
                             "loss_weight: 0 }\n")),
            (std::vector<std::string>{"a", "split(a)", "loss"}));
}

// ParamLoss is a loss with a param of its own.
class ParamLoss final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    declare.Param(0, {1});
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {.originates_gradient = true}; }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(ParamLoss, ParamLoss);

// Returns the error of a net whose loss has a param and the weight; "": there is none.
std::string ErrorOfWeight(const std::string& weight) {
  ParamTable params;
  ConfigErrors errors;
  BuildNet(ParseNet(StrCat(kData, Linear("a", "data"),
                           "layer { name: 'loss' user_type: 'ParamLoss' srclayers: 'a' "
                           "param { name: 'v' } loss_weight: ",
                           weight, " }")),
           {}, &params, &errors);
  return errors.empty() ? "" : errors.front().what();
}

TEST(Backward, ALossWithParamsHasNoWeightBetween0And1) {
  EXPECT_EQ(ErrorOfWeight("0.5"),
            "layer[loss].loss_weight: must be 0 or 1, is 0.5: the loss has params, and their "
            "gradients have no factor");
  EXPECT_EQ(ErrorOfWeight("0"), "");
  EXPECT_EQ(ErrorOfWeight("1"), "");
}

TEST(Backward, ALossAboveParamsThatDoNotTrainDoesNotRun) {
  EXPECT_TRUE(Backwards(StrCat(kData, Linear("a", "data", "lr_scale: 0"), LossOf("a"))).empty());
}

TEST(Backward, LayersBelowAFrozenPatternDoNotRun) {
  const std::string text =
      StrCat("param_scale { names: 'wold*' lr_scale: 0 }\n", kData, Linear("old1", "data"),
             Linear("old2", "old1"), Linear("new", "old2"), LossOf("new"));
  EXPECT_EQ(Backwards(text), (std::vector<std::string>{"new", "loss"}));
}

TEST(Backward, ALayerThatDoesNotTrainPassesTheGradientToTheOneBelow) {
  const std::string text =
      StrCat(kData, Linear("a", "data"), Linear("fixed", "a", "lr_scale: 0"), LossOf("fixed"));
  EXPECT_EQ(Backwards(text), (std::vector<std::string>{"a", "fixed", "loss"}));
  TestNet test(text);
  EXPECT_EQ(test.net.Find("a")->completes.size(), 1u);
  EXPECT_TRUE(test.net.Find("fixed")->completes.empty());
}

TEST(Backward, TimeStepsThatNoReaderTakesGetNoGradient) {
  const std::string text =
      StrCat(kThreeSteps, Linear("a", "text"),
             Linear("last", "a", "", "unroll_len: 1 unroll_conn_type: kUnrollFirstToLast"),
             "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'last' unroll_len: 1 }");
  using Steps = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(Ungiven(text, "a"), (Steps{{0, 0}, {0, 1}}));
  EXPECT_EQ(Ungiven(text, "last"), Steps());
}

TEST(Backward, TimeStepsThatAllAreReadGetTheirGradients) {
  EXPECT_TRUE(Ungiven(StrCat(kThreeSteps, Linear("a", "text"), LossOf("a")), "a").empty());
}

TEST(Backward, AnOutputThatIsNotReadAtAllNeedsNoZeros) {
  EXPECT_TRUE(Ungiven(StrCat(kData, Linear("a", "data"),
                             "layer { name: 'two' user_type: 'TestTwo' srclayers: 'a' }\n",
                             LossOf("two:1")),
                      "two")
                  .empty());
}

std::string Product(const std::string& name, const std::string& source, const std::string& param) {
  return StrCat("layer { name: '", name, "' type: kInnerProduct srclayers: '", source,
                "' innerproduct_conf { num_output: 3 bias_term: false } param { ", param, " } }\n");
}

TEST(Backward, AGradientGoesInPiecesIfOneLayerAloneGivesIt) {
  TestNet alone(StrCat(kData, Product("a", "data", "name: 'w'"), Product("b", "a", "name: 'v'"),
                       LossOf("b")));
  EXPECT_EQ(alone.net.Find("a")->in_pieces, std::vector<Param*>{alone.params.Find("w")});
  TestNet tied(StrCat(kData, Product("a", "data", "name: 'w'"),
                      Product("b", "a", "name: 'v' share_from: 'w'"), LossOf("b")));
  EXPECT_TRUE(tied.net.Find("a")->in_pieces.empty());
  EXPECT_TRUE(tied.net.Find("b")->in_pieces.empty());
}

}  // namespace backward_test
}  // namespace singa
