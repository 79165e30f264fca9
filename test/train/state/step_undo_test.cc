#include "train/state/step_undo.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>

#include "io/checkpoint/checkpoint_writer.h"
#include "train/state/init_params.h"
#include "train/state/trainer_state.h"

namespace singa::step_undo {
namespace {

// kBM maintains two of its params.
JobProto UndoJob() {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(accumulate_steps: 3 train_one_batch { alg: kBP }
    updater { type: kSGD momentum: 0.5 learning_rate { type: kFixed base_lr: 0.05 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 4
              shape: 4 shuffle: true synthetic_conf { records: 30 classes: 2 } } }
      layer { name: "drop" type: kDropout srclayers: "data" dropout_conf { dropout_ratio: 0.3 } }
      layer { name: "bn" type: kBM srclayers: "drop"
              param { name: "g" init { type: kConstant value: 1 } } param { name: "o" }
              param { name: "m" } param { name: "v" init { type: kConstant value: 1 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "bn" innerproduct_conf { num_output: 2 }
              param { name: "w" init { type: kUniform low: -0.2 high: 0.2 } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    })",
      &job));
  return job;
}

std::unique_ptr<Trainer> Begin() {
  auto trainer = std::make_unique<Trainer>(UndoJob(), 1);
  trainer->Allocate();
  InitParams(trainer->model().ctx(), {}, &trainer->model().params());
  return trainer;
}

// Returns the bytes of a checkpoint, by name.
std::map<std::string, std::string> BytesOf(Trainer* trainer) {
  CheckpointContent content;
  const TrainerState state(trainer);
  state.Save(&content);
  std::map<std::string, std::string> bytes;
  for (const auto* tensors : {&content.params, &content.state})
    for (const StoredTensor& tensor : *tensors)
      bytes[tensor.name] = {static_cast<const char*>(tensor.data),
                            static_cast<size_t>(tensor.bytes())};
  return bytes;
}

// Each request to stop comes before another of the step's batches.
TEST(StepUndoTest, AnAbandonedStepLeavesNoTrace) {
  const std::unique_ptr<Trainer> trainer = Begin(), whole = Begin();
  StepUndo undo(trainer.get());
  for (int64_t step = 0; step < 3; ++step) {
    const auto before = BytesOf(trainer.get());
    int asked = 0;
    const std::function<bool()> stop = [&] { return asked++ == step; };
    BatchGate gate(stop);
    undo.Keep();
    EXPECT_FALSE(trainer->TrainStep(step, &gate));
    if (step > 0) {
      EXPECT_NE(BytesOf(trainer.get()), before);
    }
    undo.Restore();
    EXPECT_EQ(BytesOf(trainer.get()), before);
    EXPECT_TRUE(trainer->TrainStep(step));
    whole->TrainStep(step);
    EXPECT_EQ(BytesOf(trainer.get()), BytesOf(whole.get()));
  }
}

}  // namespace
}  // namespace singa::step_undo
