// Tests that kGRU, kLSTM and kRNN compute the same over a whole sequence and with a node for each
// step. This includes c of kLSTM. Gradients agree with differences of the loss.
#include "support/net_test.h"

namespace singa {
namespace {

struct CellCase {
  const char *type, *field;
  int params;
};
void PrintTo(const CellCase& cell, std::ostream* out) { *out << cell.type; }

class RecurrentFold : public ::testing::TestWithParam<CellCase> {
 protected:
  // Params are named <name>0, <name>1, ... `share`: param i uses the values of share[i], if any.
  static std::string Layer(const std::string& name, const std::string& more,
                           const std::vector<std::string>& share = {},
                           const std::string& settings = "dim_hidden: 3") {
    std::string text = StrCat("layer { name: \"", name, "\" type: ", GetParam().type, " ",
                              GetParam().field, " { ", settings, " } ", more);
    for (int i = 0; i < GetParam().params; ++i) {
      const size_t k = static_cast<size_t>(i);
      text += StrCat(" param { name: \"", name, i, "\"");
      if (k < share.size() && !share[k].empty()) text += StrCat(" share_from: \"", share[k], "\"");
      text += " }";
    }
    return text + " }\n";
  }

  // Returns a net with three steps of 2 rows of 4 numbers, embedded as 5; `layers`; and a loss on
  // the layer `top`.
  static std::string Net(const std::string& layers, const std::string& top) {
    return R"(unroll_len: 3
      layer { name: "text" user_type: "TestInput" unroll_len: 1 split_conf { num_splits: 3 }
              dummy_conf { shape: 2 shape: 4 } }
      layer { name: "embed" user_type: "TestLinear" srclayers: "text" param { name: "e" }
              innerproduct_conf { num_output: 5 } }
      )" + layers +
           R"(
      layer { name: "out" user_type: "TestLinear" srclayers: ")" +
           top + R"(" param { name: "o" } innerproduct_conf { num_output: 2 } }
      layer { name: "loss" user_type: "TestLoss" srclayers: "out" })";
  }

  static ConfigErrors ErrorsOf(const std::string& text, bool fold) {
    NetOptions options;
    options.fold = fold;
    ParamTable params;
    ConfigErrors errors;
    BuildNet(ParseNet(text), options, &params, &errors);
    return errors;
  }
};

TEST_P(RecurrentFold, ThreeStepsAgree) {
  // Unfolded, the net has the input, 3 nodes of each of 4 layers, and a split of each h.
  ExpectBothFormsAgree(Net(Layer("r", "srclayers: \"embed\""), "r"), 5, 16);
}

TEST_P(RecurrentFold, StackedLayersAgree) {
  ExpectBothFormsAgree(
      Net(Layer("r", "srclayers: \"embed\"") + Layer("s", "srclayers: \"r\""), "s"), 6, 22);
}

TEST_P(RecurrentFold, ADecoderStartsFromTheEncodersLastState) {
  const std::string decoder =
      "srclayers: \"embed\" srclayers: \"r\" unroll_conn_type: kUnrollOneToOne "
      "unroll_conn_type: kUnrollFirstToLast";
  ExpectBothFormsAgree(Net(Layer("r", "srclayers: \"embed\"") + Layer("d", decoder), "d"), 7, 22);
}

TEST_P(RecurrentFold, TwoLayersShareTheirParams) {
  std::vector<std::string> all;
  for (int i = 0; i < GetParam().params; ++i) all.push_back(StrCat("r", i));
  all[0] = "";  // s reads 3 numbers, not 5
  if (GetParam().params > 3) all[1] = all[2] = "";
  if (GetParam().params == 12) all[3] = "";
  ExpectBothFormsAgree(
      Net(Layer("r", "srclayers: \"embed\"") + Layer("s", "srclayers: \"r\"", all), "s"), 6, 22);
}

TEST_P(RecurrentFold, GatesShareAWeight) {
  if (GetParam().params == 3) return;  // one gate
  const size_t gates = static_cast<size_t>(GetParam().params) / 3;
  std::vector<std::string> share(2 * gates);
  share[1] = "r0";
  share[gates + 1] = StrCat("r", gates);
  ExpectBothFormsAgree(Net(Layer("r", "srclayers: \"embed\"", share), "r"), 5, 16);
}

TEST_P(RecurrentFold, RefusesToCarryAStateStepByStep) {
  const std::string text =
      Net(Layer("r", "srclayers: \"embed\"", {}, "dim_hidden: 3 carry_state: true"), "r");
  EXPECT_TRUE(ErrorsOf(text, true).empty());
  const ConfigErrors errors = ErrorsOf(text, false);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), StrCat("layer[r].", GetParam().field, ".carry_state"));
}

TEST_P(RecurrentFold, RefusesASecondSourceOfEveryStep) {
  const ConfigErrors errors = ErrorsOf(
      Net(Layer("r", "srclayers: \"embed\"") + Layer("s", "srclayers: \"embed\" srclayers: \"r\""),
          "s"),
      true);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), "layer[s].unroll_conn_type");
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentFold,
                         ::testing::Values(CellCase{"kGRU", "gru_conf", 9},
                                           CellCase{"kLSTM", "lstm_conf", 12},
                                           CellCase{"kRNN", "rnn_conf", 3}));

}  // namespace
}  // namespace singa
