// Tests errors about sources that a phase lacks.
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

}  // namespace
}  // namespace singa
