#include "driver/command/help_topic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/command/subcommand.h"
#include "driver/schema/layer_text.h"
#include "singa/base/error.h"

namespace singa::help_topic {
namespace {

using testing::HasSubstr;
using testing::Not;

template <typename Call>
std::string RefusalBy(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitUsage);
    return error.what();
  }
  return "";
}

std::string RefusalOf(const std::string& topic) {
  return RefusalBy([&] { HelpOn(topic); });
}

TEST(HelpOn, ALayerTypeIsItsDescription) {
  EXPECT_EQ(HelpOn("kConvolution"), LayerTextOf("kConvolution"));
}

TEST(HelpOn, AFieldHasCommentTypeDefaultAndPath) {
  for (const char* const topic : {"ema_decay", "JobProto.ema_decay"}) {
    const std::string text = HelpOn(topic);
    EXPECT_EQ(text.find("JobProto.ema_decay: float, default 0. "), 0u) << text;
    EXPECT_THAT(text, HasSubstr("\n  path: ema_decay\n"));
  }
  EXPECT_THAT(HelpOn("neuralnet.layer[fc].convolution_conf.kernel"),
              HasSubstr("  path: neuralnet.layer[NAME].convolution_conf.kernel\n"));
}

TEST(HelpOn, AMessageFieldHasAllFieldsBelow) {
  const std::string text = HelpOn("updater");
  EXPECT_EQ(text.find("JobProto.updater: "), 0u) << text;
  EXPECT_THAT(text, HasSubstr("\n  momentum "));
  EXPECT_THAT(text, HasSubstr("\n    base_lr "));
  EXPECT_THAT(HelpOn("UpdaterProto"), HasSubstr("\n  momentum "));
}

TEST(HelpOn, AValueNamesItsField) {
  EXPECT_THAT(HelpOn("kSGD"), HasSubstr("  a UpdaterType, value of updater.type\n"));
}

TEST(HelpOn, ValuesEndWithOneFullStop) {
  for (const char* const field : {"precision", "on_nonfinite"}) {
    EXPECT_THAT(HelpOn(field), HasSubstr(".\n  path: "));
    EXPECT_THAT(HelpOn(field), Not(HasSubstr("..")));
  }
}

TEST(HelpOn, AWordForDataHasItsFields) {
  EXPECT_EQ(HelpOn("CSV"), LayerTextOf("kCSVInput"));
  for (const char* const field : {"StoreProto.has_label: ", "StoreProto.class_names: "})
    EXPECT_NE(HelpOn("labels").find(field), std::string::npos) << field;
  EXPECT_EQ(HelpOn("columns").find("StoreProto.header: "), 0u);
  EXPECT_EQ(HelpOn("normalize").find("StoreProto.channel_mean: "), 0u);
  EXPECT_EQ(HelpOn("confusion"), FindSubcommand("predict")->help);
}

TEST(HelpOn, AnUnknownWordHasTheNearest) {
  EXPECT_EQ(RefusalOf("chekc"), "no help on \"chekc\"; did you mean \"check\"?");
  EXPECT_EQ(RefusalOf("convolution"), "no help on \"convolution\"; did you mean \"kConvolution\"?");
  EXPECT_EQ(RefusalOf("train_stpes"), "no help on \"train_stpes\"; did you mean \"train_steps\"?");
  EXPECT_EQ(RefusalOf("\x1bxyzzy"), "no help on \"\\x1bxyzzy\"");
}

TEST(HelpOnLayer, AnUnknownTypeHasTheNearest) {
  for (const char* const type : {"convolution", "Convolution", "conv2d", "kConvolutoin"})
    EXPECT_EQ(RefusalBy([&] { HelpOnLayer("layers", type); }),
              StrCat("no layer type \"", type, "\"; did you mean \"kConvolution\"?"));
}

}  // namespace
}  // namespace singa::help_topic
