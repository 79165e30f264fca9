// Tests the activity that a worker reports while it trains and tests.
#include "base/thread/activity_mark.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "singa/train/updater.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

struct Said {
  Activity activity;
  std::string layer;
  int64_t step;
  bool operator==(const Said&) const = default;
};

std::vector<Said> said;  // by the layers and the updater below, at each call

void Note(const Context& ctx) {
  const ActivityMark& mark = *ctx.mark;
  said.push_back({mark.state().activity, mark.layer() ? *mark.layer() : "", mark.step()});
}

class NotingInput final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.is_input = true, .differentiable = false};
  }
  void Setup(const LayerProto&, Declare&, Inputs, Outputs out) override {
    out[0]->data.SetShape({2, 3});
  }
  void ComputeFeature(Context& ctx, Phase, Inputs, Outputs) override { Note(ctx); }
};
SINGA_REGISTER_LAYER(NotingInput, NotingInput);

class NotingLoss final : public Layer {
 public:
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    weight_ = declare.Param(0, {3});
    out[0]->data.SetShape(in[0]->data.shape());
  }
  Traits traits() const override { return {.originates_gradient = true}; }
  void ComputeFeature(Context& ctx, Phase, Inputs, Outputs) override { Note(ctx); }
  void ComputeGradient(Context& ctx, Inputs, Outputs) override {
    Note(ctx);
    std::fill_n(weight_->grad.data(), weight_->grad.size(), 0.f);
  }

 private:
  Param* weight_ = nullptr;
};
SINGA_REGISTER_LAYER(NotingLoss, NotingLoss);

class NotingUpdater final : public Updater {
 public:
  void Update(Context& ctx, const UpdateStep&, float*, const float*, std::span<float* const>,
              int64_t) override {
    Note(ctx);
  }
};
SINGA_REGISTER_UPDATER(NotingUpdater, NotingUpdater);

class ActivityMarkTest : public ::testing::Test {
 protected:
  ActivityMarkTest() {
    JobProto job;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
        "train_steps: 9 test_steps: 1 train_one_batch { alg: kBP }"
        " updater { user_type: 'NotingUpdater' learning_rate { type: kFixed base_lr: 1 } }"
        " neuralnet { layer { name: 'data' user_type: 'NotingInput' }"
        " layer { name: 'loss' user_type: 'NotingLoss' srclayers: 'data' param { name: 'w' } } }",
        &job));
    trainer_ = std::make_unique<Trainer>(job, 1);
    trainer_->Allocate();
    said.clear();
  }
  std::unique_ptr<Trainer> trainer_;
};

TEST_F(ActivityMarkTest, SaysWhichLayerOfAStepItIsIn) {
  trainer_->TrainStep(5);
  EXPECT_EQ(said, (std::vector<Said>{{Activity::kReading, "data", 5},
                                     {Activity::kFeature, "loss", 5},
                                     {Activity::kGradient, "loss", 5},
                                     {Activity::kUpdating, "", 5}}));
}

TEST_F(ActivityMarkTest, SaysThatATestIsOne) {
  trainer_->model().evaluator(kTest)->Run(1, [] { return false; });
  EXPECT_EQ(said, (std::vector<Said>{{Activity::kEvaluating, "data", 0},
                                     {Activity::kEvaluating, "loss", 0}}));
}

TEST_F(ActivityMarkTest, IsBetweenStepsAfterwards) {
  const uint64_t before = trainer_->model().mark().state().count;
  trainer_->TrainStep(0);
  EXPECT_EQ(trainer_->model().mark().state().activity, Activity::kBetween);
  EXPECT_GT(trainer_->model().mark().state().count, before);
  trainer_->model().evaluator(kTest)->Run(1, [] { return false; });
  EXPECT_EQ(trainer_->model().mark().state().activity, Activity::kBetween);
}

}  // namespace
}  // namespace singa
