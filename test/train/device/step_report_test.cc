// Tests the findings about a step: by the kernels of each device, and by a device's blocks on the
// host.
#include "train/device/step_report.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/device_memory.h"
#include "support/elements.h"
#include "support/emulated_block.h"
#include "support/test_device.h"
#include "train/device/step_report_block.h"

namespace singa::step_report {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// If there is no place, the blocks find it.
using Finder = std::optional<TestPlace>;
std::vector<Finder> Finders() {
  const std::vector<TestPlace> places = AllPlaces();
  std::vector<Finder> finders(places.begin(), places.end());
  finders.push_back(std::nullopt);
  return finders;
}

class StepReportOf : public ::testing::TestWithParam<Finder> {
 protected:
  bool by_blocks() const { return !GetParam(); }
  template <typename T>
  Tensor Of(const std::vector<T>& values) const {
    Tensor tensor = memory_.Allocate({static_cast<int64_t>(values.size() * sizeof(T))}, DType::kU8);
    memory_.Write(values.data(), &tensor);
    return tensor;
  }

  TestDevice device_{GetParam().value_or(TestPlace::kHost)};
  Context& ctx_ = device_.ctx;
  DeviceMemory memory_{&ctx_};
};

std::string FinderName(const ::testing::TestParamInfo<Finder>& info) {
  return info.param ? NameOf(*info.param) : "blocks";
}
#define SINGA_TEST_EACH_FINDER(Fixture) \
  INSTANTIATE_TEST_SUITE_P(Finders, Fixture, ::testing::ValuesIn(Finders()), FinderName)

class InspectedPieces : public StepReportOf {
 protected:
  // Every second piece begins at an address that is no multiple of 16 bytes: with the second number
  // of its gradient. The other pieces leave the last number out.
  std::vector<PieceFinding> Find(bool squares) const {
    std::vector<Tensor> there;
    std::vector<UpdatePiece> pieces;
    for (size_t i = 0; i < gradients_.size(); ++i) {
      there.push_back(Of(gradients_[i]));
      pieces.push_back({.w = nullptr,
                        .g = there[i].data() + i % 2,
                        .states = {},
                        .n = static_cast<int64_t>(gradients_[i].size()) - 1,
                        .param = 0});
    }
    const auto count = static_cast<int64_t>(pieces.size());
    const Tensor of = Of(pieces);
    Tensor found = Of(std::vector<PieceFinding>(pieces.size()));
    if (by_blocks())
      RunBlocks(count, 64, InspectPiece{of.as<UpdatePiece>(), squares, found.as<PieceFinding>()});
    else
      InspectPieces(ctx_, of.as<UpdatePiece>(), count, squares, found.as<PieceFinding>());
    return memory_.Read<PieceFinding>(found);
  }

  std::vector<std::vector<float>> gradients_;
};
SINGA_TEST_EACH_FINDER(InspectedPieces);

TEST_P(InspectedPieces, AreFiniteOrNotAndHaveTheirSquares) {
  for (const int64_t n : {1, 3, 64, 1000, 257, 20'001}) {
    std::vector<float>& g = gradients_.emplace_back(n + 1);
    for (int64_t i = 0; i <= n; ++i) g[i] = Philox{3, static_cast<uint32_t>(n), 0}.Gaussian(i);
  }
  for (const bool bad : {false, true}) {
    if (bad) gradients_[3][1000] = gradients_[5][1] = -kInf;
    gradients_[1][0] = gradients_[2][64] = kInf;  // outside all pieces
    const std::vector<PieceFinding> found = Find(true);
    for (size_t i = 0; i < found.size(); ++i) {
      SCOPED_TRACE(i);
      const bool finite = !bad || (i != 3 && i != 5);
      EXPECT_EQ(found[i].bad, finite ? 0 : 1);
      if (!finite) continue;
      const float* const g = gradients_[i].data() + i % 2;
      double squares = 0;
      for (size_t j = 0; j + 1 < gradients_[i].size(); ++j) squares += double{g[j]} * g[j];
      EXPECT_NEAR(found[i].squares, squares, 1e-12 * squares);
    }
  }
  for (const PieceFinding& found : Find(false)) EXPECT_EQ(found.squares, 0);
}

class JudgedStep : public StepReportOf {
 protected:
  StepReport Judge(StepReport before = {}) const {
    const Tensor losses = Of(bad_losses_), pieces = Of(pieces_), state = Of(std::vector{state_});
    Tensor report = Of(std::vector{before});
    const Tensor bad_pieces = Of(bad_pieces_);
    const StepEvidence evidence = {losses.as<float>(),
                                   3,
                                   pieces.as<PieceFinding>(),
                                   100,
                                   clip_norm_,
                                   ends_,
                                   state.as<StepState>(),
                                   own_,
                                   bad_pieces_.empty() ? nullptr : bad_pieces.as<float>(),
                                   factor_};
    if (by_blocks())
      RunBlocks(1, 64, JudgeInBlock{evidence, report.as<StepReport>()});
    else
      JudgeStep(ctx_, evidence, report.as<StepReport>());
    return memory_.Read<StepReport>(report)[0];
  }

  std::vector<float> bad_losses_ = std::vector<float>(3, 0);
  std::vector<PieceFinding> pieces_ = std::vector<PieceFinding>(100, {4, 0});
  StepState state_ = {.step = 7};
  float clip_norm_ = 0;
  bool ends_ = false;
  const OwnGradient* own_ = nullptr;
  std::vector<float> bad_pieces_;
  float factor_ = 1;
};
SINGA_TEST_EACH_FINDER(JudgedStep);

TEST_P(JudgedStep, AGoodStepIsTakenWhole) {
  const StepReport report = Judge();
  EXPECT_EQ(report.verdict.dropped, 0);
  EXPECT_EQ(report.verdict.scale, 1);
  EXPECT_EQ(report.step, -1);
}

TEST_P(JudgedStep, TheNormIsThatOfAllPieces) {
  clip_norm_ = 20;  // equal to the norm
  EXPECT_EQ(Judge().verdict.scale, 1);
  EXPECT_EQ(Judge().norm, 20);
  clip_norm_ = 5;
  EXPECT_EQ(Judge().verdict.scale, 0.25f);
}

TEST_P(JudgedStep, AGradientIsMultipliedBeforeItsNormIsBounded) {
  factor_ = 3;
  EXPECT_EQ(Judge().verdict.scale, 3);
  EXPECT_EQ(Judge().norm, 60);
  clip_norm_ = 15;
  EXPECT_EQ(Judge().verdict.scale, 0.75f);
}

TEST_P(JudgedStep, OthersMayHaveFoundThatAPieceIsNotFinite) {
  pieces_[70].bad = 1;
  bad_pieces_.assign(pieces_.size(), 0);
  EXPECT_EQ(Judge().verdict.dropped, 0);
  bad_pieces_[71] = 1;
  EXPECT_EQ(Judge().verdict.dropped, 1);
  EXPECT_EQ(Judge().piece, 71);
}

TEST_P(JudgedStep, TheScaleOfTheLossesIsTakenOff) {
  state_.loss_scale = 16;
  EXPECT_EQ(Judge().verdict.scale, 1.f / 16);
  clip_norm_ = 5;  // the norm is 20 / 16
  EXPECT_EQ(Judge().verdict.scale, 1.f / 16);
  EXPECT_EQ(Judge().norm, 20. / 16);
  clip_norm_ = 0.625f;
  EXPECT_EQ(Judge().verdict.scale, 0.5f / 16);
}

class OwnGradients : public StepReportOf {
 protected:
  OwnGradient Judge(float clip_norm) {
    const Tensor pieces = Of(pieces_), state = Of(std::vector{StepState{.loss_scale = 2}});
    Tensor bad = Of(std::vector<float>(pieces_.size(), 7)), own = Of(std::vector<OwnGradient>(1));
    const JudgeOwnInBlock judge = {
        pieces.as<PieceFinding>(), std::ssize(pieces_),  clip_norm, 4, state.as<StepState>(),
        bad.as<float>(),           own.as<OwnGradient>()};
    if (by_blocks())
      RunBlocks(1, 64, judge);
    else
      JudgeOwn(ctx_, judge.found, judge.count, clip_norm, judge.ranks, judge.state, judge.bad,
               judge.own);
    bad_ = memory_.Read<float>(bad);
    return memory_.Read<OwnGradient>(own)[0];
  }

  std::vector<PieceFinding> pieces_ = std::vector<PieceFinding>(100, {4, 0});
  std::vector<float> bad_;
};
SINGA_TEST_EACH_FINDER(OwnGradients);

// The norm is 20 / 2, and the bound of each of 4 ranks is clip_norm / 2.
TEST_P(OwnGradients, AreBoundedByTheirShareOfTheBound) {
  EXPECT_EQ(Judge(0).factor, 1);
  EXPECT_EQ(Judge(20).factor, 1);
  EXPECT_EQ(Judge(5).factor, 0.25f);
  EXPECT_EQ(Judge(5).norm, 20);
}

TEST_P(OwnGradients, SayWhichPiecesAreNotFinite) {
  pieces_[3].bad = 1;
  Judge(0);
  std::vector<float> bad(100, 0);
  bad[3] = 1;
  EXPECT_EQ(bad_, bad);
}

TEST_P(JudgedStep, TheNormOfAnOwnGradientIsReported) {
  const Tensor own = Of(std::vector{OwnGradient{.factor = 1, .norm = 3}});
  own_ = own.as<OwnGradient>();
  EXPECT_EQ(Judge().norm, 3);
}

TEST_P(JudgedStep, TheFirstLossThatIsNotFiniteDropsIt) {
  bad_losses_ = {0, 1, 3};  // one with the third worker, too
  const StepReport report = Judge();
  EXPECT_EQ(report.verdict.dropped, 1);
  EXPECT_EQ(report.step, 7);
  EXPECT_EQ(report.loss, 1);
}

TEST_P(JudgedStep, SoDoesAPieceOfAGradient) {
  pieces_[0].bad = 1;
  EXPECT_EQ(Judge().piece, 0);
  pieces_[98].bad = 1;
  const StepReport report = Judge();
  EXPECT_EQ(report.verdict.dropped, 1);
  EXPECT_EQ(report.loss, -1);
  EXPECT_EQ(report.piece, 98);
}

TEST_P(JudgedStep, AfterOneThatEndsTheJobAllAreDropped) {
  ends_ = true;
  const StepReport ended = {.verdict = {.dropped = 1}, .step = 5, .loss = 0, .piece = 2};
  const StepReport report = Judge(ended);
  EXPECT_EQ(report.verdict.dropped, 1);
  EXPECT_EQ(report.step, 5);
  EXPECT_EQ(report.loss, 0);
  EXPECT_EQ(report.piece, 2);
  ends_ = false;
  EXPECT_EQ(Judge(ended).verdict.dropped, 0);
}

class MetricsOfSteps : public StepReportOf {
 protected:
  // A cell is a sum and a weight.
  using Cells = std::vector<std::array<double, 2>>;
  static double* Cell(Tensor* cells, int64_t i) { return cells->as<double>() + 2 * i; }
};
SINGA_TEST_EACH_FINDER(MetricsOfSteps);

TEST_P(MetricsOfSteps, AreBadWhereTheSumIsNotFiniteWhateverItsWeight) {
  constexpr double kBad = std::numeric_limits<double>::quiet_NaN();
  Tensor cells = Of(Cells{{1, kBad}, {kBad, 1}, {-kInf, 1}, {1e308, 1}});
  std::vector<const double*> each;
  for (int64_t i = 0; i < 4; ++i) each.push_back(Cell(&cells, i));
  const Tensor of = Of(each);
  Tensor bad = Of(std::vector<float>(4, -1));
  if (by_blocks())
    RunElements(4, InspectLoss{of.as<const double*>(), bad.data()});
  else
    InspectLosses(ctx_, of.as<const double*>(), 4, bad.data());
  EXPECT_EQ(memory_.Read(bad), std::vector<float>({0, 1, 1, 0}));
}

TEST_P(MetricsOfSteps, AreSummedWhereTheStepsCountAndZeroed) {
  Tensor cells = Of(Cells(3));
  const Tensor of =
      Of(std::vector<MetricCell>{{Cell(&cells, 0), 1}, {Cell(&cells, 1), 0}, {Cell(&cells, 2), 1}});
  for (const bool dropped : {false, true}) {
    memory_.Write(Cells{{1, 2}, {10, 20}, {100, 200}}.data(), &cells);
    const Tensor verdict = Of(std::vector<StepVerdict>{{.dropped = dropped}});
    Tensor sums = Of(Cells{{0.5, 0}, {0, 0}});
    if (by_blocks())
      RunElements(2,
                  SumEntry{of.as<MetricCell>(), 3, verdict.as<StepVerdict>(), sums.as<double>()});
    else
      SumMetrics(ctx_, of.as<MetricCell>(), 3, 2, verdict.as<StepVerdict>(), sums.as<double>());
    EXPECT_EQ(memory_.Read<double>(sums), dropped ? std::vector<double>({0.5, 0, 0, 0})
                                                  : std::vector<double>({10.5, 20, 101, 202}));
    EXPECT_EQ(memory_.Read<double>(cells), std::vector<double>(6, 0));
  }
}

}  // namespace
}  // namespace singa::step_report
