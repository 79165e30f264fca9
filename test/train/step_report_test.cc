// What is found of a step, by the host's kernels and as a device's blocks find it.
#include "train/device/step_report.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/elements.h"
#include "support/emulated_block.h"
#include "train/device/step_report_block.h"

namespace singa::step_report {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Pieces {
  std::vector<std::vector<float>> gradients;
  std::vector<UpdatePiece> pieces;

  explicit Pieces(const std::vector<int64_t>& sizes) {
    for (const int64_t n : sizes) {
      std::vector<float>& g = gradients.emplace_back(n + 1);
      for (int64_t i = 0; i <= n; ++i) g[i] = Philox{3, static_cast<uint32_t>(n), 0}.Gaussian(i);
    }
    for (size_t i = 0; i < sizes.size(); ++i)  // some begin where 16 bytes do not
      pieces.push_back({.w = nullptr,
                        .g = gradients[i].data() + i % 2,
                        .states = {},
                        .n = sizes[i],
                        .param = 0});
  }
  std::vector<PieceFinding> OnHost(bool squares) {
    std::vector<PieceFinding> found(pieces.size());
    Context ctx;
    InspectPieces(ctx, pieces.data(), static_cast<int64_t>(pieces.size()), squares, found.data());
    return found;
  }
  std::vector<PieceFinding> ByBlocks(bool squares) {
    std::vector<PieceFinding> found(pieces.size());
    RunBlocks(static_cast<int64_t>(pieces.size()), 64,
              InspectPiece{pieces.data(), squares, found.data()});
    return found;
  }
};

TEST(StepReportTest, BlocksFindWhatTheHostFinds) {
  Pieces pieces({1, 3, 64, 1000, 257});
  for (const bool bad : {false, true}) {
    if (bad) pieces.gradients[3][999] = -kInf;
    const std::vector<PieceFinding> want = pieces.OnHost(true), got = pieces.ByBlocks(true);
    for (size_t i = 0; i < want.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_EQ(want[i].finite, !bad || i != 3);
      EXPECT_EQ(got[i].finite, want[i].finite);
      if (!want[i].finite) continue;
      EXPECT_NEAR(got[i].squares, want[i].squares, 1e-12 * want[i].squares);
    }
  }
  for (const PieceFinding& found : pieces.ByBlocks(false)) EXPECT_EQ(found.squares, 0);
}

struct Evidence {
  std::vector<float> bad_losses = std::vector<float>(3, 0);
  std::vector<PieceFinding> pieces = std::vector<PieceFinding>(100, {4, 1});
  StepState state = {.step = 7};
  float clip_norm = 0;
  bool ends = false;

  StepReport Judge(bool by_block, StepReport report = {}) const {
    const StepEvidence evidence = {bad_losses.data(), 3,    pieces.data(), 100,
                                   clip_norm,         ends, &state};
    Context ctx;
    if (by_block)
      RunBlocks(1, 64, JudgeInBlock{evidence, &report});
    else
      JudgeStep(ctx, evidence, &report);
    return report;
  }
};

class StepReportOf : public ::testing::TestWithParam<bool> {
 protected:
  StepReport Judge(StepReport before = {}) const { return evidence_.Judge(GetParam(), before); }
  Evidence evidence_;
};

TEST_P(StepReportOf, AGoodStepIsTakenWhole) {
  const StepReport report = Judge();
  EXPECT_EQ(report.verdict.dropped, 0);
  EXPECT_EQ(report.verdict.scale, 1);
  EXPECT_EQ(report.step, -1);
}

TEST_P(StepReportOf, TheNormIsThatOfAllPieces) {
  evidence_.clip_norm = 20;  // which is the norm
  EXPECT_EQ(Judge().verdict.scale, 1);
  evidence_.clip_norm = 5;
  EXPECT_EQ(Judge().verdict.scale, 0.25f);
}

TEST_P(StepReportOf, TheScaleOfTheLossesIsTakenOff) {
  evidence_.state.loss_scale = 16;
  EXPECT_EQ(Judge().verdict.scale, 1.f / 16);
  evidence_.clip_norm = 5;  // the norm is 20 / 16
  EXPECT_EQ(Judge().verdict.scale, 1.f / 16);
  evidence_.clip_norm = 0.625f;
  EXPECT_EQ(Judge().verdict.scale, 0.5f / 16);
}

TEST_P(StepReportOf, TheFirstLossThatIsNotFiniteDropsIt) {
  evidence_.bad_losses = {0, 1, 3};  // one with the third worker, too
  const StepReport report = Judge();
  EXPECT_EQ(report.verdict.dropped, 1);
  EXPECT_EQ(report.step, 7);
  EXPECT_EQ(report.loss, 1);
}

TEST_P(StepReportOf, SoDoesAPieceOfAGradient) {
  evidence_.pieces[0].finite = 0;
  EXPECT_EQ(Judge().piece, 0);
  evidence_.pieces[98].finite = 0;
  const StepReport report = Judge();
  EXPECT_EQ(report.verdict.dropped, 1);
  EXPECT_EQ(report.loss, -1);
  EXPECT_EQ(report.piece, 98);
}

TEST_P(StepReportOf, AfterOneThatEndsTheJobAllAreDropped) {
  evidence_.ends = true;
  const StepReport ended = {.verdict = {.dropped = 1}, .step = 5, .loss = 0, .piece = 2};
  const StepReport report = Judge(ended);
  EXPECT_EQ(report.verdict.dropped, 1);
  EXPECT_EQ(report.step, 5);
  EXPECT_EQ(report.loss, 0);
  EXPECT_EQ(report.piece, 2);
  evidence_.ends = false;
  EXPECT_EQ(Judge(ended).verdict.dropped, 0);
}

INSTANTIATE_TEST_SUITE_P(ByHostAndBlock, StepReportOf, ::testing::Bool());

TEST(StepReportTest, ALossIsBadWhereItsSumIsNotFiniteWhateverItsWeight) {
  constexpr double kBad = std::numeric_limits<double>::quiet_NaN();
  const double cells[4][2] = {
      {1, kBad}, {kBad, 1}, {-std::numeric_limits<double>::infinity(), 1}, {1e308, 1}};
  const double* const of[] = {cells[0], cells[1], cells[2], cells[3]};
  std::vector<float> bad(4, -1), by_host(4, -1);
  RunElements(4, InspectLoss{of, bad.data()});
  Context ctx;
  InspectLosses(ctx, of, 4, by_host.data());
  EXPECT_EQ(bad, std::vector<float>({0, 1, 1, 0}));
  EXPECT_EQ(by_host, bad);
}

TEST(StepReportTest, MetricsOfStepsThatCountAreSummed) {
  double cells[3][2] = {{1, 2}, {10, 20}, {100, 200}};
  const MetricCell of[] = {{cells[0], 1}, {cells[1], 0}, {cells[2], 1}};
  for (const bool dropped : {false, true}) {
    double sums[4] = {0.5, 0, 0, 0};
    const StepVerdict verdict = {.dropped = dropped};
    RunElements(2, SumEntry{of, 3, &verdict, sums});
    EXPECT_EQ(sums[0], dropped ? 0.5 : 10.5);
    EXPECT_EQ(sums[1], dropped ? 0 : 20);
    EXPECT_EQ(sums[2], dropped ? 0 : 101);
    EXPECT_EQ(sums[3], dropped ? 0 : 202);
    for (double(&cell)[2] : cells) EXPECT_EQ(cell[0] + cell[1], 0);
    for (double(&cell)[2] : cells) cell[0] = cell[1] = 3;
  }
}

}  // namespace
}  // namespace singa::step_report
