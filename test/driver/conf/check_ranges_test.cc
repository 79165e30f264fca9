// Tests how values outside of a range are reported. reference_ranges_test.cc compares each range
// with conf/reference.conf.
#include <gtest/gtest.h>

#include "support/driver/conf_findings.h"

namespace singa::check_ranges {
namespace {

std::string Found(const std::string& job) {
  ConfFindings found;
  CheckRanges(JobOfText(job), &found);
  return LinesOf(found);
}

TEST(CheckRanges, AClosedLimitIsInside) {
  EXPECT_EQ(Found("train_steps: 0"), "");
  EXPECT_EQ(Found("train_steps: -1"), "error: train_steps: must be >= 0, is -1\n");
  EXPECT_EQ(Found("num_openblas_threads: 1024"), "");
  EXPECT_EQ(Found("num_openblas_threads: 1025"),
            "error: num_openblas_threads: must be from 1 to 1024, is 1025\n");
}

TEST(CheckRanges, AnOpenLimitIsOutside) {
  EXPECT_EQ(Found("updater { momentum: 0.999 delta: 1e-9 }"), "");
  EXPECT_EQ(Found("updater { momentum: 1 delta: 0 }"),
            "error: updater.momentum: must be >= 0 and < 1, is 1\n"
            "error: updater.delta: must be > 0, is 0\n");
  EXPECT_EQ(Found("cluster { all_reduce { sparsity: 1 } }"), "");
  EXPECT_EQ(Found("cluster { all_reduce { sparsity: 0 } }"),
            "error: cluster.all_reduce.sparsity: must be > 0 and <= 1, is 0\n");
}

TEST(CheckRanges, NotANumberIsInNoRange) {
  EXPECT_EQ(Found("updater { weight_decay: nan }"),
            "error: updater.weight_decay: must be >= 0, is nan\n");
}

TEST(CheckRanges, AFiniteNumberMayHaveAnySign) {
  const auto found = [](const char* weight) {
    return Found(StrCat("neuralnet { layer { name: 'loss' loss_weight: ", weight, " } }"));
  };
  for (const char* weight : {"0", "-0.5", "3e38"}) EXPECT_EQ(found(weight), "") << weight;
  for (const char* weight : {"nan", "inf", "-inf"})
    EXPECT_EQ(found(weight), StrCat("error: neuralnet.layer[loss].loss_weight: must be finite, is ",
                                    weight, "\n"));
}

TEST(CheckRanges, FieldsThatAreNotSetAreNotChecked) {
  EXPECT_EQ(Found("updater {} cluster {} neuralnet { layer {} }"), "");
}

TEST(CheckRanges, OfAListTheFirstWrongValueIsReported) {
  EXPECT_EQ(Found("gpu: 0 gpu: -1 gpu: -2"), "error: gpu#1: must be >= 0, is -1\n");
}

TEST(CheckRanges, WholeNumbersHaveAllTheirDigits) {
  EXPECT_EQ(Found("neuralnet { unroll_len: 123456789 }"),
            "error: neuralnet.unroll_len: must be from 1 to 100000, is 123456789\n");
  EXPECT_EQ(Found("updater { clip_norm: -0.5 }"),
            "error: updater.clip_norm: must be >= 0, is -0.5\n");
}

TEST(CheckRanges, MessagesOfListsHaveTheirPlace) {
  EXPECT_EQ(Found("neuralnet { layer { name: 'fc' param {} param { lr_scale: -1 } } }"),
            "error: neuralnet.layer[fc].param[1].lr_scale: must be >= 0, is -1\n");
}

}  // namespace
}  // namespace singa::check_ranges
