// Tests errors about sources that a phase lacks.
#include <map>
#include <string>

#include "support/net_test.h"

namespace singa {
namespace {

// A search of all layers for each of many names would take minutes.
TEST(FilterPhase, SaysOfTheFirstUnknownSourcesAloneWhichPhaseHasThem) {
  std::string text =
      "layer { name: 'data' type: kDummy include: kTest dummy_conf { input: true shape: 2 } }\n";
  for (int i = 0; i < 30; ++i)
    text += StrCat("layer { name: 'fc", i, "' type: kReLU include: kTrain srclayers: 'data' }\n");
  ConfigErrors errors;
  ParamTable params;
  BuildNet(ParseNet(text), {.phase = kTrain}, &params, &errors);
  ASSERT_EQ(errors.size(), 30u);
  int told = 0;
  for (const ConfigError& error : errors)
    told += error.message().find("it is in kTest") != std::string::npos;
  EXPECT_EQ(told, 20);
}

// The k-th reader of a layer with several outputs gets output k, but not of an input with targets.
TEST(FilterPhase, TargetsAreReadByNameAlone) {
  const std::string text =
      "layer { name: 'data' type: kCSVInput store_conf { path: 'x' batchsize: 2 shape: 4 "
      "num_targets: 3 } }\n"
      "layer { name: 'a' type: kReLU srclayers: 'data' }\n"
      "layer { name: 'b' type: kReLU srclayers: 'data' }\n"
      "layer { name: 'c' type: kReLU srclayers: 'data:1' }\n";
  ParamTable params;
  const Net net = BuildNet(ParseNet(text), {.phase = kTrain}, &params);
  std::map<std::string, int64_t> sizes;
  for (const NetNode& node : net.nodes())
    if (!node.in.empty()) sizes[node.name] = node.in[0]->data.row_size();
  EXPECT_EQ(sizes["a"], 4);
  EXPECT_EQ(sizes["b"], 4);
  EXPECT_EQ(sizes["c"], 3);
}

TEST(FilterPhase, AReaderOfAWrongNumberOfTargetsIsNotBlamed) {
  const std::string text =
      "layer { name: 'data' type: kCSVInput store_conf { path: 'x' batchsize: 2 shape: 4 "
      "num_targets: -1 } }\n"
      "layer { name: 'a' type: kReLU srclayers: 'data:1' }\n";
  ConfigErrors errors;
  ParamTable params;
  BuildNet(ParseNet(text), {.phase = kTrain}, &params, &errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].path(), "layer[data].store_conf.num_targets");
}

}  // namespace
}  // namespace singa
