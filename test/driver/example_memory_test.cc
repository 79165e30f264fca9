// Tests that each example takes as much memory as `singa check` says, on files of its shapes. The
// tests do not run under a sanitizer, whose malloc counts nothing.
#ifndef SINGA_SANITIZED
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "driver/conf/check_job.h"
#include "driver/conf/check_values.h"
#include "driver/data/data_command.h"
#include "io/mean_record.h"
#include "io/temp_dir.h"
#include "nn/graph/graph.h"
#include "singa/base/str_cat.h"
#include "train/state/init_params.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

std::vector<std::string> Examples() {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(SINGA_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".conf") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// Writes the mean of records of this shape. Returns its path.
std::string WriteMean(const TempDir& folder, const std::vector<int64_t>& shape) {
  PosixFileSystem files;
  const auto store = OpenStore("synthetic", {.shape = shape, .records = 2});
  WriteMeanRecord(store.get(), {}, folder.Path("mean"), &files);
  return folder.Path("mean");
}

// Stores of digits read files with an index. Other stores have no index, and synthetic ones replace
// them.
void SetStore(const TempDir& folder, bool train, StoreProto* store) {
  if (store->backend() == "idx") {
    store->set_path(folder.Path(train ? "train-images-idx3-ubyte" : "t10k-images-idx3-ubyte"));
    store->set_label_path(
        folder.Path(train ? "train-labels-idx1-ubyte" : "t10k-labels-idx1-ubyte"));
    return;
  }
  store->set_backend("synthetic");
  store->mutable_synthetic_conf()->set_classes(2);  // no example has fewer
  store->clear_path();
  if (store->has_mean_file())
    store->set_mean_file(WriteMean(folder, {store->shape().begin(), store->shape().end()}));
}

// Writes a text with as many different characters as the example's.
void SetText(const TempDir& folder, CharRNNProto* text) {
  constexpr int kCharacters = 65, kLength = 100000;
  text->set_vocab_path(folder.Path("vocab"));
  text->set_path(folder.Path("text"));
  std::ofstream vocab(text->vocab_path(), std::ios::binary), file(text->path(), std::ios::binary);
  for (int i = 0; i < kCharacters; ++i) vocab.put(static_cast<char>(' ' + i));
  for (int i = 0; i < kLength; ++i) file.put(static_cast<char>(' ' + i % kCharacters));
}

bool IsLarge(const JobProto& job) { return job.name().ends_with("alexnet"); }

// A large net takes few rows. The memory of its params and rows is compared all the same.
void SetStores(const TempDir& folder, JobProto* job) {
  const bool large = IsLarge(*job);
  for (LayerProto& layer : *job->mutable_neuralnet()->mutable_layer()) {
    if (layer.rgbimage_conf().has_meanfile())
      layer.mutable_rgbimage_conf()->set_meanfile(WriteMean(folder, {3, 256, 256}));
    if (layer.type() == kCharRNN) SetText(folder, layer.mutable_char_rnn_conf());
    if (!layer.has_store_conf()) continue;
    SetStore(folder, InPhase(layer, kTrain), layer.mutable_store_conf());
    if (large) layer.mutable_store_conf()->set_batchsize(0, 4);
  }
}

// Removes checkpoints of other jobs that would give first values.
void SetInits(JobProto* job) {
  job->clear_checkpoint_path();
  for (LayerProto& layer : *job->mutable_neuralnet()->mutable_layer())
    for (ParamProto& param : *layer.mutable_param())
      if (!param.has_init()) param.mutable_init()->set_type(kConstant);
}

int64_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

// Returns the peak of three steps and a test, above the memory that the process had before. `said`:
// the plan.
int64_t PeakBytes(const JobProto& job, MemoryUse* said) {
  Trainer trainer(job, 2);
  *said = trainer.memory().host;
  const int64_t before = HeapBytes();
  trainer.Allocate();
  InitParams(trainer.model().ctx(), {}, &trainer.model().params());
  int64_t peak = 0;
  for (int64_t step = 0; step < 3; ++step) {
    trainer.TrainStep(step);
    peak = std::max(peak, HeapBytes() - before);
  }
  for (Phase phase : {kTest, kVal})
    if (trainer.model().evaluator(phase))
      trainer.model().evaluator(phase)->Run(2, [] { return false; });
  return std::max(peak, HeapBytes() - before);
}

class ExampleMemoryTest : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, ExampleMemoryTest, ::testing::ValuesIn(Examples()),
                         [](const auto& test) {
                           const std::filesystem::path path = test.param;
                           return path.parent_path().stem().string() + "_" + path.stem().string();
                         });

TEST_P(ExampleMemoryTest, IsWhatCheckSays) {
  const TempDir folder;
  ASSERT_EQ(DataCommand({"digits", folder.Path("")}), kExitOk);
  const auto checked = CheckJob(GetParam(), {});
  JobProto job = checked->job;
  if (!Trains(job, JobUse::kEither)) return;  // it tests the result of another example
  SetStores(folder, &job);
  SetInits(&job);
  MemoryUse plan;
  if (!IsLarge(job))        // where this share is tiny
    PeakBytes(job, &plan);  // a first run: libraries allocate memory that they keep
  const int64_t peak = PeakBytes(job, &plan), said = plan.total();
  // The memory of objects is an estimate for large layers. It is the most of a tiny net's memory.
  if (2 * plan.objects > said) {
    EXPECT_LE(peak, said);
  } else {
    EXPECT_NEAR(static_cast<double>(peak), static_cast<double>(said), 0.05 * said);
  }
  RecordProperty("bytes", StrCat(peak, " of ", said));
}

}  // namespace
}  // namespace singa
#endif
