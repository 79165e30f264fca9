#include "driver/conf/conf_scanner.h"

#include <gtest/gtest.h>

#include "singa/proto/job.pb.h"

namespace singa {
namespace {

// Returns the errors of a scan of a JobProto, one a line: PLACE: PATH: TEXT.
std::string Errors(const std::string& text) {
  ConfNode root;
  root.type = JobProto::descriptor();
  Diagnostics errors;
  ScanConf(text, &root, &errors);
  std::string lines;
  for (const Diagnostic& error : errors)
    lines += StrCat(error.line, ":", error.column, ": ", error.path, error.path.empty() ? "" : ": ",
                    error.text, "\n");
  return lines;
}

// Finds the node of `path` in the text.
struct Scanned {
  Scanned(const std::string& text, const std::string& path) {
    root.type = JobProto::descriptor();
    ScanConf(text, &root, nullptr);
    node = &Locate(root, path);
  }
  ConfNode root;
  const ConfNode* node;
};

TEST(ConfScannerTest, ANodeHasThePlaceOfItsName) {
  const std::string text = "updater {\n  type: kSGD\n  momentum: 0.5 }";
  const Scanned momentum(text, "updater.momentum");
  EXPECT_EQ(momentum.node->line, 3);
  EXPECT_EQ(momentum.node->column, 3);
  const Scanned updater(text, "updater");
  EXPECT_EQ(updater.node->line, 1);
  EXPECT_EQ(updater.node->column, 1);
}

TEST(ConfScannerTest, ANodeHasTheValueOfItsString) {
  EXPECT_EQ(Scanned("name: 'a' 'b'", "name").node->value, "ab");
}

TEST(ConfScannerTest, TakesAllFormsOfTheTextFormat) {
  EXPECT_EQ(Errors("gpu: 0, gpu: [1, 2]; gpu: [] updater < type: kSGD > cluster: { }"), "");
  EXPECT_EQ(Errors(""), "");
}

TEST(ConfScannerTest, TheValuesOfAListHaveTheirIndices) {
  const std::string text = "gpu: 0\ngpu: [1,\n2]";
  EXPECT_EQ(Scanned(text, "gpu[0]").node->line, 1);
  EXPECT_EQ(Scanned(text, "gpu[2]").node->index, 2);
}

TEST(ConfScannerTest, AnUnknownFieldIsToldAndItsValueSkipped) {
  EXPECT_EQ(Errors("nme: 'x' hyper { a: { b: 1 } } gpu: x"),
            "1:1: nme: no such field in JobProto; did you mean \"name\"?\n"
            "1:10: hyper: no such field in JobProto\n"
            "1:32: gpu: must be an integer, is x\n");
}

TEST(ConfScannerTest, AFieldThatWasMeantIsNotMissing) {
  const Scanned scanned("neuralnet { layer { nam: 'x' } }", "neuralnet.layer[0]");
  EXPECT_TRUE(MissingFields(scanned.root).empty());
}

TEST(ConfScannerTest, AFieldNeedsAName) {
  EXPECT_EQ(Errors("updater { 5: 1 }"),
            "1:11: updater: expected the name of a field, found \"5\"\n");
}

TEST(ConfScannerTest, AnExtensionNeedsAName) {
  EXPECT_EQ(Errors("[a.b{ }"), "1:5: expected the name of an extension and \"]\", found \"{\"\n");
  EXPECT_EQ(Errors("[a.b]: 5"), "1:1: [a.b]: no such extension of JobProto\n");
}

TEST(ConfScannerTest, AMissingColonIsToldAndTheValueRead) {
  EXPECT_EQ(Errors("seed 5 gpu = x"),
            "1:6: seed: expected \":\", found \"5\"\n"
            "1:12: gpu: expected \":\", found \"=\"\n"
            "1:8: gpu: must be an integer, is x\n");
}

TEST(ConfScannerTest, AFieldOfOneValueIsGivenOnce) {
  EXPECT_EQ(Errors("name: 'a'\nname: 'b'\nupdater { }\nupdater { x: 1 }"),
            "2:1: name: is given twice, first in line 1\n"
            "4:1: updater: is given twice, first in line 3\n");
}

TEST(ConfScannerTest, AFieldOfOneValueTakesNoList) {
  EXPECT_EQ(Errors("seed: [1, 2] gpu: x"),
            "1:1: seed: takes one value, not a list\n"
            "1:14: gpu: must be an integer, is x\n");
}

TEST(ConfScannerTest, AListHasCommas) {
  EXPECT_EQ(Errors("gpu: [1 2]"), "1:9: expected \",\" or \"]\" in a list, found \"2\"\n");
}

TEST(ConfScannerTest, AMessageIsNoScalar) {
  EXPECT_EQ(Errors("seed { x: 1 }"), "1:1: seed: must be an integer, is a message in { }\n");
}

TEST(ConfScannerTest, ACaffePhaseInBracketsIsExplained) {
  EXPECT_EQ(
      Errors("neuralnet { layer { name: 'a' include { phase: TRAIN } } }"),
      "1:31: neuralnet.layer[a].include: must be a value of Phase, is a message in { }; did you "
      "mean \"include: kTrain\"?\n");
}

TEST(ConfScannerTest, AMissingValueIsFoundAtTheNextName) {
  EXPECT_EQ(Errors("seed:\nname: 'x'"), "2:1: expected a value for seed, found \"name\"\n");
}

TEST(ConfScannerTest, ABracketThatOpensNothingEndsTheScan) {
  EXPECT_EQ(Errors("gpu: 1 }\ngpu: x"), "1:8: unexpected \"}\": no message is open\n");
}

TEST(ConfScannerTest, AMessageIsClosedByItsOwnKind) {
  EXPECT_EQ(Errors("updater {\n type: kSGD >"),
            "2:13: updater: expected \"}\" to close updater of line 1, found \">\"\n");
}

TEST(ConfScannerTest, AnErrorBehindAMessageIsOfTheMessageAround) {
  EXPECT_EQ(Errors("neuralnet { layer { name: 'a' } 5 }"),
            "1:33: neuralnet: expected the name of a field, found \"5\"\n");
}

TEST(ConfScannerTest, APathHasTheNameThatALayerGetsLater) {
  EXPECT_EQ(Errors("neuralnet { layer { x: 1 name: 'late' } }"),
            "1:21: neuralnet.layer[late].x: no such field in LayerProto\n");
}

TEST(ConfScannerTest, WhatTheScanDidNotReadIsNotWhole) {
  const std::string text = "updater { type: kSGD } neuralnet { layer { name: 'a' 5";
  EXPECT_TRUE(Scanned(text, "updater").node->whole);
  EXPECT_FALSE(Scanned(text, "neuralnet").node->whole);
  EXPECT_FALSE(Scanned(text, "neuralnet.layer[a]").node->whole);
}

TEST(ConfScannerTest, MessagesNestToADepthOf64) {
  // A JobProto has no message in itself, so the values are of an unknown field.
  const std::string deep = "x " + std::string(65, '{') + std::string(65, '}');
  EXPECT_EQ(Errors(deep),
            "1:1: x: no such field in JobProto\n"
            "1:67: messages are nested deeper than 64\n");
}

TEST(ConfScannerTest, StopsAfterAThousandFindings) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "gpu: x\n";
  ConfNode root;
  root.type = JobProto::descriptor();
  Diagnostics errors;
  ScanConf(text, &root, &errors);
  ASSERT_EQ(errors.size(), kMaxFindings);
  EXPECT_EQ(errors.back().text, "too many mistakes, stopped reading here");
}

TEST(ConfScannerTest, AnUnclosedBracketIsNoted) {
  ConfNode root;
  root.type = JobProto::descriptor();
  Diagnostics errors;
  ScanConf("updater\n {", &root, &errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].note, "the \"{\" that is not closed");
  EXPECT_EQ(errors[0].note_line, 2);
  EXPECT_EQ(errors[0].note_column, 2);
}

}  // namespace
}  // namespace singa
