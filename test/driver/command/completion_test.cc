#include "driver/command/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace singa {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

TEST(Completion, OptionsAreThoseOfTheHelp) {
  EXPECT_THAT(OptionsOf(FindSubcommand("graph")),
              testing::ElementsAre("-help", "-set", "-svg", "-test", "-v"));
  EXPECT_THAT(OptionsOf(FindSubcommand("plan")),
              AllOf(Contains("-workers"), Contains("-json"), Contains("-svg")));
  EXPECT_THAT(OptionsOf(nullptr),
              AllOf(Contains("-conf"), Contains("-resume"), Contains("-set"), Contains("-test")));
}

TEST(ManPage, HasNameUsageAndOptions) {
  const std::string page = ManPage(FindSubcommand("graph"));
  EXPECT_EQ(page.find(".TH SINGA\\-GRAPH 1 "), 0u) << page;
  EXPECT_THAT(page, HasSubstr("\n.SH SYNOPSIS\n.nf\nsinga graph [\\-v] "));
  EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB\\-test\\fR\nthe net of the test phase\n"));
  EXPECT_THAT(ManPage(FindSubcommand("plan")),
              HasSubstr("\n.TP\n\\fB\\-link GBIT,USEC\\fR\nspeed of a host's link"));
  EXPECT_THAT(ManPage(nullptr), HasSubstr("\\fBsinga\\-graph\\fR(1)"));
}

}  // namespace
}  // namespace singa
