// Tests a resume by an updater with momentum from a checkpoint of processes that each had their
// own.
#include "train/state/handed_momentum.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "io/checkpoint/checkpoint_writer.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "singa/base/philox.h"
#include "singa/comm/codec.h"
#include "train/state/init_params.h"
#include "train/state/trainer_state.h"

namespace singa::handed_momentum {
namespace {

constexpr float kMomentum = 0.9f;
constexpr int kProcesses = 2;

JobProto PointsJob(const std::string& path) {
  JobProto job;
  const std::string text = StrCat(R"(
    train_one_batch { alg: kBP }
    updater { type: kSGD momentum: )",
                                  kMomentum, R"( learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kCSVInput store_conf { path: ")",
                                  path, R"(" batchsize: 2 shape: 3 } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 2 }
              param { name: "w" init { type: kUniform } }
              param { name: "b" init { type: kConstant } lr_scale: 2 } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    })");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

struct Points {
  Points() : trainer(PointsJob(dir.Write("points.csv", "0,1,2,3\n1,3,2,1\n")), 1) {
    trainer.Allocate();
    InitParams(trainer.model().ctx(), {}, &trainer.model().params());
  }
  const SliceTable& table() const { return trainer.model().trained().table; }
  std::vector<float> Values() const {
    std::vector<float> values;
    for (const Param* param : trainer.model().trained().params)
      values.insert(values.end(), param->data.data(), param->data.data() + param->size());
    return values;
  }
  // Applies gradients of 0, until no momentum is left.
  void RollOut(int64_t first) {
    Context ctx;
    for (int64_t step = first; step < first + 300; ++step)
      for (int s = 0; s < table().size(); ++s)
        trainer.replica().Apply(ctx, s, step, std::vector<float>(table()[s].size).data());
  }

  TempDir dir;
  Trainer trainer;
};

std::vector<float> GradientOf(int process, int64_t step, int slice, int64_t n) {
  const Philox random{
      .seed = 3, .purpose = static_cast<uint32_t>(process), .step = static_cast<uint32_t>(step)};
  std::vector<float> gradient;
  for (int64_t i = 0; i < n; ++i) gradient.push_back(random.Gaussian(100 * slice + i));
  return gradient;
}

// Returns a checkpoint of step 5. Each process has kept all gradients, with momentum, below a
// threshold. Names of tensors begin with `prefix`.
std::unique_ptr<Checkpoint> Checkpointed(Points* points, const std::string& prefix,
                                         int64_t more_floats = 0) {
  CheckpointContent content;
  content.step = 5;
  content.conf_sha256 = std::string(64, '0');
  TrainerState saved(&points->trainer);
  saved.Save(&content);
  std::erase_if(content.state, [](const StoredTensor& t) { return t.name.ends_with("/momentum"); });
  AllReduceProto conf;
  conf.set_threshold(1e9f);
  const std::unique_ptr<Codec> codec = Codecs().Make("kThreshold");
  codec->Setup(conf, kMomentum);
  std::deque<std::vector<float>> states;
  for (int process = 0; process < kProcesses; ++process)
    for (int s = 0; s < points->table().size(); ++s) {
      const int64_t n = points->table()[s].size + more_floats;
      std::vector<float>& state = states.emplace_back(2 * n);
      std::vector<std::byte> bytes(codec->MostBytes(n));
      for (int64_t step = 0; step < 5; ++step)
        codec->Encode(step, GradientOf(process, step, s, n), state, bytes.data());
      content.state.push_back(Stored(StrCat(prefix, "workers", process, "-", process, "/slice", s),
                                     Shape({2, 1, n}), state.data()));
    }
  PosixFileSystem fs;
  return LoadCheckpoint(WriteCheckpoint(fs, points->dir.Path("ws"), content));
}

// The updater with momentum gets the sums in five steps, or takes over what was not sent in them.
TEST(HandedMomentum, IsAsFarInTheEndAsMomentumOfTheUpdater) {
  Points whole, handed;
  const std::vector<float> first = whole.Values();
  Context ctx;
  for (int64_t step = 0; step < 5; ++step)
    for (int s = 0; s < whole.table().size(); ++s) {
      std::vector<float> sum(whole.table()[s].size);
      for (int process = 0; process < kProcesses; ++process)
        std::ranges::transform(sum, GradientOf(process, step, s, std::ssize(sum)), sum.begin(),
                               std::plus());
      whole.trainer.replica().Apply(ctx, s, step, sum.data());
    }
  const auto checkpoint = Checkpointed(&handed, "codec/group0/");
  EXPECT_TRUE(ProcessesHadMomentum(checkpoint->state()));
  EXPECT_EQ(TrainerState(&handed.trainer).Restore(*checkpoint), 5);
  EXPECT_EQ(handed.Values(), first) << "values change with the next steps only";
  whole.RollOut(5);
  handed.RollOut(5);
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_GT(std::abs(whole.Values()[i] - first[i]), 1e-3) << "element " << i << " stays";
    EXPECT_NEAR(handed.Values()[i], whole.Values()[i], 1e-5) << "element " << i;
  }
}

TEST(HandedMomentum, OfSeveralGroupsOrOtherSlicesIsNotTaken) {
  Points groups, slices;
  for (const auto& checkpoint :
       {Checkpointed(&groups, "codec/group1/"), Checkpointed(&slices, "codec/group0/", 1)}) {
    EXPECT_TRUE(HandedMomentum(checkpoint->state(), 5, groups.trainer).empty());
    EXPECT_THROW(TrainerState(&groups.trainer).Restore(*checkpoint), DataError);
  }
}

}  // namespace
}  // namespace singa::handed_momentum
