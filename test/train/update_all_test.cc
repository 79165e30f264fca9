// Tests that updates of many pieces at once have the bits of Updater::Update, on each device.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "singa/base/error.h"
#include "singa/base/philox.h"
#include "support/device_memory.h"
#include "support/emulated_block.h"
#include "support/test_device.h"
#include "train/apply/update_rule.h"
#include "train/updater/update_block.h"
#include "train/updater/update_elements.h"

namespace singa::update_all {
namespace {

using Values = std::vector<float>;

// Three params lie one after the other, with 10 more numbers that belong to no param. Some cuts
// begin where 16 bytes can be read at a time, and others do not. One has more elements than a
// block.
constexpr int32_t kParams = 3;
constexpr int64_t kNumbers = 5150, kLargest = 4098;
struct Cut {
  int32_t param;
  int64_t begin, n;
};
constexpr Cut kCuts[] = {{0, 0, kLargest}, {0, kLargest, 902}, {2, 5137, 3},
                         {1, 5000, 136},   {1, 5136, 1},       {2, 5140, 0}};

struct Rule {
  const char *name, *conf;
};
const Rule kRules[] = {
    {"PlainSgd", "type: kSGD"},
    {"Sgd", "type: kSGD momentum: 0.9"},
    {"Nesterov", "type: kNesterov momentum: 0.9"},
    {"AdaGrad", "type: kAdaGrad"},
    {"RmsProp", "type: kRMSProp rmsprop_conf { rho: 0.9 }"},
    {"AdaDelta", "type: kAdaDelta"},
    {"Adam", "type: kAdam"},
    {"AdamW", "type: kAdamW"},
    {"AdaMax", "type: kAdamMax"},
};

std::unique_ptr<Updater> UpdaterOf(const std::string& conf) {
  UpdaterProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      conf + " delta: 1e-3 clip_low: -1 clip_high: 0.75", &proto));
  return MakeUpdater(proto);
}

UpdateStep StepOf(int32_t param, int step) {
  return {.count = step + 2 * param, .lr = 0.1f / (1 + param), .weight_decay = 0.01f * param};
}

Values Gaussian(uint32_t stream) {
  Values x(kNumbers);
  for (int64_t i = 0; i < kNumbers; ++i) x[i] = Philox{7, stream, 0}.Gaussian(i);
  return x;
}
Values FirstW() { return Gaussian(1); }
Values GradientOf(int step) { return Gaussian(10 + step); }

// State is w, then the states.
using State = std::vector<Values>;
State FirstState(const Updater& updater) {
  State state(1 + updater.states().size(), Values(kNumbers));
  state[0] = FirstW();
  return state;
}

// Returns the state after `steps` steps by Updater::Update, with gradients times `scale`.
State Updated(Updater* updater, int steps, float scale) {
  State state = FirstState(*updater);
  Context ctx;
  for (int step = 1; step <= steps; ++step) {
    Values g = GradientOf(step);
    for (float& x : g) x *= scale;
    for (const Cut& cut : kCuts) {
      std::vector<float*> states;
      for (size_t s = 1; s < state.size(); ++s) states.push_back(state[s].data() + cut.begin);
      updater->Update(ctx, StepOf(cut.param, step), state[0].data() + cut.begin,
                      g.data() + cut.begin, states, cut.n);
    }
  }
  return state;
}

// Batch has the same numbers in a context's memory.
class Batch {
 public:
  Batch(Context* ctx, const Updater& updater)
      : memory_(ctx), updater_(updater), gradient_(memory_.Allocate({kNumbers})) {
    for (const Values& values : FirstState(updater)) {
      state_.push_back(memory_.Allocate({kNumbers}));
      memory_.Write(values.data(), &state_.back());
    }
    steps_ = memory_.Allocate({kParams * updater.step_bytes()}, DType::kU8);
    std::vector<UpdatePiece> pieces;
    for (const Cut& cut : kCuts) {
      const auto at = [&](size_t i) {
        return i < state_.size() ? state_[i].data() + cut.begin : nullptr;
      };
      pieces.push_back({at(0), gradient_.data() + cut.begin, {at(1), at(2)}, cut.n, cut.param});
    }
    const auto count = static_cast<int64_t>(pieces.size());
    pieces_ = memory_.Allocate({count * static_cast<int64_t>(sizeof(UpdatePiece))}, DType::kU8);
    memory_.Write(pieces.data(), &pieces_);
    batch_ = {steps_.as<char>(), pieces_.as<UpdatePiece>(), count, kLargest, nullptr};
  }

  void Judge(const StepVerdict& verdict) {
    verdict_ = memory_.Allocate({sizeof(verdict)}, DType::kU8);
    memory_.Write(&verdict, &verdict_);
    batch_.verdict = verdict_.as<StepVerdict>();
  }
  void WriteStep(int step) {
    memory_.Write(GradientOf(step).data(), &gradient_);
    std::vector<int64_t> told(steps_.bytes() / 8);
    for (int32_t p = 0; p < kParams; ++p)
      updater_.Prepare(StepOf(p, step), told.data() + p * updater_.step_bytes() / 8);
    memory_.Write(told.data(), &steps_);
  }
  const UpdateBatch& batch() const { return batch_; }
  State Read() const {
    State state;
    for (const Tensor& tensor : state_) state.push_back(memory_.Read(tensor));
    return state;
  }

 private:
  DeviceMemory memory_;
  const Updater& updater_;
  Tensor gradient_, steps_, pieces_, verdict_;
  std::vector<Tensor> state_;
  UpdateBatch batch_;
};

using Case = std::tuple<Rule, TestPlace>;
std::string CaseName(const testing::TestParamInfo<Case>& info) {
  return StrCat(std::get<Rule>(info.param).name, "_", NameOf(std::get<TestPlace>(info.param)));
}

class UpdateAllTest : public testing::TestWithParam<Case> {
 protected:
  // A device captures the work of the first step, and replays it in each step.
  void RunSteps(Batch* batch, int steps) {
    std::unique_ptr<CapturedWork> work;
    if (ctx_.stream) {
      ctx_.stream->BeginCapture();
      updater_->UpdateAll(ctx_, batch->batch());
      work = ctx_.stream->EndCapture();
    }
    for (int step = 1; step <= steps; ++step) {
      batch->WriteStep(step);
      if (work)
        ctx_.stream->Replay(*work);
      else
        updater_->UpdateAll(ctx_, batch->batch());
    }
  }

  const std::unique_ptr<Updater> updater_ = UpdaterOf(std::get<Rule>(GetParam()).conf);
  TestDevice device_{std::get<TestPlace>(GetParam())};
  Context& ctx_ = device_.ctx;
};

TEST_P(UpdateAllTest, GivesTheBitsOfUpdatesPieceByPiece) {
  Batch batch(&ctx_, *updater_);
  RunSteps(&batch, 3);
  EXPECT_EQ(batch.Read(), Updated(updater_.get(), 3, 1));
}

TEST_P(UpdateAllTest, ScalesGradientsFirst) {
  Batch batch(&ctx_, *updater_);
  batch.Judge({.dropped = 0, .scale = 0.3f});
  RunSteps(&batch, 2);
  EXPECT_EQ(batch.Read(), Updated(updater_.get(), 2, 0.3f));
}

TEST_P(UpdateAllTest, LeavesAllAsItWasWhereTheStepIsDropped) {
  Batch batch(&ctx_, *updater_);
  batch.Judge({.dropped = 1, .scale = std::numeric_limits<float>::quiet_NaN()});
  RunSteps(&batch, 1);
  EXPECT_EQ(batch.Read(), FirstState(*updater_));
}

TEST_P(UpdateAllTest, HasNothingToDoForNoPieces) {
  Batch batch(&ctx_, *updater_);
  updater_->UpdateAll(ctx_, {nullptr, nullptr, 0, 0, nullptr});
  EXPECT_EQ(batch.Read(), FirstState(*updater_));
}

INSTANTIATE_TEST_SUITE_P(Rules, UpdateAllTest,
                         testing::Combine(testing::ValuesIn(kRules),
                                          testing::ValuesIn(AllPlaces())),
                         CaseName);

// These functions run on the host the work of a device's blocks.
template <typename Element, size_t kStates>
void ExpectBlocksGiveTheHostsBits(const std::string& conf) {
  SCOPED_TRACE(conf);
  const std::unique_ptr<Updater> updater = UpdaterOf(conf);
  for (float scale : {1.f, 0.3f}) {
    Context ctx;
    Batch batch(&ctx, *updater);
    if (scale != 1) batch.Judge({.dropped = 0, .scale = scale});
    for (int step = 1; step <= 2; ++step) {
      batch.WriteStep(step);
      const UpdateChunks<Element, kStates> chunks{batch.batch()};
      RunBlocks(chunks.blocks(), 32, chunks);
    }
    EXPECT_EQ(batch.Read(), Updated(updater.get(), 2, scale));
  }
}

TEST(UpdateChunksTest, GivesTheBitsOfTheHost) {
  ASSERT_GT(kLargest, (UpdateChunks<SgdElement, 0>::kChunk));
  ExpectBlocksGiveTheHostsBits<SgdElement, 0>("type: kSGD");
  ExpectBlocksGiveTheHostsBits<SgdElement, 1>("type: kSGD momentum: 0.9");
  ExpectBlocksGiveTheHostsBits<NesterovElement, 1>("type: kNesterov momentum: 0.9");
  ExpectBlocksGiveTheHostsBits<AdaGradElement, 1>("type: kAdaGrad");
  ExpectBlocksGiveTheHostsBits<RmsPropElement, 1>("type: kRMSProp rmsprop_conf { rho: 0.9 }");
  ExpectBlocksGiveTheHostsBits<AdaDeltaElement, 2>("type: kAdaDelta");
  ExpectBlocksGiveTheHostsBits<AdamElement, 2>("type: kAdam");
  ExpectBlocksGiveTheHostsBits<AdamWElement, 2>("type: kAdamW");
  ExpectBlocksGiveTheHostsBits<AdaMaxElement, 2>("type: kAdamMax");
}

TEST(UpdateChunksTest, LeavesAllAsItWasWhereTheStepIsDropped) {
  const std::unique_ptr<Updater> updater = UpdaterOf("type: kSGD");
  Context ctx;
  Batch batch(&ctx, *updater);
  batch.Judge({.dropped = 1});
  batch.WriteStep(1);
  const UpdateChunks<SgdElement, 0> chunks{batch.batch()};
  RunBlocks(chunks.blocks(), 32, chunks);
  EXPECT_EQ(batch.Read(), FirstState(*updater));
}

}  // namespace
}  // namespace singa::update_all
