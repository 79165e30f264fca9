#include <gtest/gtest.h>

#include "driver/conf/job_conf.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

std::string Render(const std::string& text) {
  JobProto job;
  return JobConf("F", text, {}, &job).Render();
}

TEST(UnclosedBracket, IsNotedWhereTheFileEnds) {
  EXPECT_EQ(
      Render("name: 'x'\nneuralnet {\n  layer {\n    name: 'a'\n\n"),
      "F:6:1: error: neuralnet.layer[a]: the file ends, but the \"{\" of line 3 is not closed\n"
      "\n"
      "^\n"
      "F:3:9: note: the \"{\" that is not closed\n"
      "  layer {\n"
      "        ^\n");
}

TEST(UnclosedBracket, MayStandInALineBelowTheName) {
  EXPECT_EQ(Render("updater\n<\n"),
            "F:3:1: error: updater: the file ends, but the \"<\" of line 2 is not closed\n"
            "\n"
            "^\n"
            "F:2:1: note: the \"<\" that is not closed\n"
            "<\n"
            "^\n");
}

TEST(UnclosedBracket, MayOpenAList) {
  EXPECT_EQ(Render("gpu: [0,\n1\n"),
            "F:3:1: error: the file ends, but the \"[\" of line 1 is not closed\n"
            "\n"
            "^\n"
            "F:1:6: note: the \"[\" that is not closed\n"
            "gpu: [0,\n"
            "     ^\n");
}

TEST(UnclosedBracket, MayBeOfAnUnknownField) {
  EXPECT_EQ(Render("hyper {\n  a: [\n"),
            "F:1:1: error: hyper: no such field in JobProto\n"
            "hyper {\n"
            "^\n"
            "F:3:1: error: the file ends, but the \"[\" of line 2 is not closed\n"
            "\n"
            "^\n"
            "F:2:6: note: the \"[\" that is not closed\n"
            "  a: [\n"
            "     ^\n");
}

}  // namespace
}  // namespace singa
