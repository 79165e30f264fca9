// Tests that a large weight's gradient goes to the updater in pieces, which give the result of the
// whole gradient.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <map>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "train/state/init_params.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

// b's weight is transposed. c and d share one weight. Only a and b can give pieces.
constexpr char kNet[] = R"(
  layer { name: "data" type: kDummy dummy_conf { input: true shape: 8 shape: 500 } }
  layer { name: "a" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 700 }
          param { name: "wa" init { type: kUniformSqrtFanIn } }
          param { name: "ba" init { type: kConstant } } }
  layer { name: "s" type: kSTanh srclayers: "a" }
  layer { name: "b" type: kInnerProduct srclayers: "s"
          innerproduct_conf { num_output: 600 transpose: true bias_term: false }
          param { name: "wb" init { type: kUniformSqrtFanIn } } }
  layer { name: "c" type: kInnerProduct srclayers: "b"
          innerproduct_conf { num_output: 600 bias_term: false }
          param { name: "wc" init { type: kUniformSqrtFanIn } } }
  layer { name: "d" type: kInnerProduct srclayers: "c"
          innerproduct_conf { num_output: 600 bias_term: false } param { share_from: "wc" } }
  layer { name: "end" type: kDummy srclayers: "d" dummy_conf { output: true } })";

JobProto JobWithUpdater(const std::string& updater) {
  JobProto job;
  const std::string text =
      StrCat("train_steps: 9 train_one_batch { alg: kBP } updater { ", updater,
             " learning_rate { type: kFixed base_lr: 0.0001 } } neuralnet {", kNet, "}");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

std::unique_ptr<Trainer> Start(const std::string& updater, int threads = 1) {
  auto trainer = std::make_unique<Trainer>(JobWithUpdater(updater), threads);
  trainer->Allocate();
  InitParams(trainer->model().ctx(), {}, &trainer->model().params());
  return trainer;
}

int64_t Count(Trainer* trainer, const std::string& param) {
  const auto& states = trainer->replica().states();
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].param == param) return trainer->replica().count(static_cast<int>(i));
  return -1;
}

class GradientPiecesTest : public ::testing::TestWithParam<std::tuple<std::string, int>> {};
INSTANTIATE_TEST_SUITE_P(
    Updaters, GradientPiecesTest,
    ::testing::Combine(::testing::Values("type: kSGD", "type: kSGD momentum: 0.9 weight_decay: 0.1",
                                         "type: kAdam delta: 1e-3",
                                         "type: kAdamW delta: 1e-3 weight_decay: 0.1"),
                       ::testing::Values(1, 2)));

TEST_P(GradientPiecesTest, AreTheWholeGradient) {
  const auto& [updater, threads] = GetParam();
  const auto pieces = Start(updater, threads);
  // A norm to clip waits for whole gradients.
  const auto whole = Start(updater + " clip_norm: 1e30", threads);
  std::map<std::string, std::vector<float>> first;
  for (const auto& param : whole->model().params().params())
    first[param->name()].assign(param->data.data(), param->data.data() + param->size());
  for (int64_t step = 0; step < 4; ++step) {
    pieces->TrainStep(step);
    whole->TrainStep(step);
  }
  for (const auto& param : pieces->model().params().params()) {
    const Param& other = *whole->model().params().Find(param->name());
    EXPECT_EQ(other.sink, nullptr);
    EXPECT_EQ(Count(pieces.get(), param->name()), 4) << param->name();
    // Sums are rounded differently. The change by the updates is compared with the largest change,
    // and each of the four steps rounds the value.
    float most = 0;
    for (int64_t i = 0; i < param->size(); ++i)
      most = std::max(most, std::abs(other.data.data()[i] - first[param->name()][i]));
    EXPECT_GT(most, 0) << param->name();
    for (int64_t i = 0; i < param->size(); ++i) {
      const float a = param->data.data()[i], b = other.data.data()[i];
      ASSERT_NEAR(a, b, 1e-5 * most + 4 * FLT_EPSILON * std::abs(b)) << param->name() << " " << i;
    }
  }
}

TEST(GradientPiecesTest, AreForLargeWeightsOfOneUser) {
  const auto trainer = Start("type: kSGD");
  for (const auto& param : trainer->model().params().params()) {
    const bool pieces = param->name() == "wa" || param->name() == "wb";
    EXPECT_EQ(param->sink != nullptr, pieces) << param->name();
    EXPECT_EQ(param->grad.empty(), pieces) << param->name();
  }
  const int64_t shared = 600 * 600, bias = 700, room = 1 << 17;
  EXPECT_EQ(trainer->memory().host.gradients, (shared + bias + room) * 4);
}

TEST(GradientPiecesTest, APieceThatIsNotFiniteIsNotApplied) {
  const auto trainer = Start("type: kSGD");
  Param* wa = trainer->model().params().Find("wa");
  const std::vector<float> before(wa->data.data(), wa->data.data() + wa->size());
  bool finite = false;
  const auto rows = [&](Context&, int64_t first, int64_t n, float* piece) {
    std::fill(piece, piece + n * 500, 1.f);
    if (!finite && first <= 300 && 300 < first + n) piece[(300 - first) * 500 + 17] = NAN;
  };
  EXPECT_THROW(wa->sink->Consume(wa, rows), DivergedError);
  const auto first = wa->data.data() + 300 * 500;
  EXPECT_TRUE(std::equal(first, first + 500, before.begin() + 300 * 500));
  EXPECT_EQ(Count(trainer.get(), "wa"), 0);
  wa->data = Tensor::Allocate(wa->shape());
  finite = true;
  wa->sink->Consume(wa, rows);
  for (int64_t i = 0; i < wa->size(); ++i) ASSERT_EQ(wa->data.data()[i], -0.0001f) << i;
}

// An algorithm that accumulates over two passes needs both gradients whole.
class TwoPasses final : public Algorithm {
 public:
  void TrainOneBatch(Context&, Net&, ParamExchange&) override {}
};
SINGA_REGISTER_ALGORITHM(TwoPasses, TwoPasses);

TEST(GradientPiecesTest, AreNotForAnAlgorithmOfAnotherOrder) {
  JobProto job = JobWithUpdater("type: kSGD");
  job.mutable_train_one_batch()->set_user_alg("TwoPasses");
  Trainer trainer(job, 1);
  trainer.Allocate();
  for (const auto& param : trainer.model().params().params()) EXPECT_FALSE(param->grad.empty());
}

}  // namespace
}  // namespace singa
