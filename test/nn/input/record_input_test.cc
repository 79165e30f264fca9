#include <gtest/gtest.h>

#include <cmath>

#include "io/picture/png_encoder.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/nn/record_reader.h"
#include "support/layer_test.h"

namespace singa {
namespace {

// The store has twelve records of shape (1, 2): record i is (i, 10 i), label i.
class RecordInput : public ::testing::Test {
 protected:
  RecordInput() {
    std::string bytes;
    for (int i = 0; i < 12; ++i)
      bytes += Tuple("k", Pixels(i, {static_cast<char>(i), static_cast<char>(10 * i)}));
    path_ = dir_.Write("store", bytes);
    ctx_.seed = 3;
  }

  std::unique_ptr<BuiltLayer> Build(const std::string& store, const std::string& more = "") {
    return std::make_unique<BuiltLayer>(
        ctx_, "name: \"data\" type: kRecordInput store_conf { " + store + " } " + more,
        std::vector<Input>());
  }
  std::string Store(const std::string& more = "batchsize: 4 shape: 2") {
    return "path: \"" + path_ + "\" " + more;
  }
  static void Forward(BuiltLayer* layer, Phase phase = kTrain) {
    layer->BeginStep(0);
    layer->Forward(phase);
  }
  static std::vector<int> Labels(BuiltLayer* layer, Phase phase = kTrain) {
    Forward(layer, phase);
    const int32_t* label = layer->out(0).label.as<int32_t>();
    return {label, label + layer->out(0).label.size()};
  }

  TempDir dir_;
  std::string path_;
  Context ctx_;
};

TEST_F(RecordInput, GivesFeatureAndLabels) {
  const auto layer = Build(Store());
  EXPECT_EQ(layer->output_shape(), Shape({4, 2}));
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(layer->Output(), (std::vector<float>{0, 0, 1, 10, 2, 20, 3, 30}));
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{4, 5, 6, 7}));
}

TEST_F(RecordInput, Normalises) {
  const auto layer = Build(Store("batchsize: 2 shape: 2 mean_value: 1 std_value: 2"));
  Forward(layer.get());
  EXPECT_EQ(layer->Output(), (std::vector<float>{-.5f, -.5f, 0, 4.5f}));
}

TEST_F(RecordInput, HasColoursInPlanarOrder) {
  path_ = dir_.Write("rgb", Tuple("k", Pixels(0, "\1\2\3\4\5\6")));
  const auto layer = Build(Store("batchsize: 1 shape: 3 shape: 1 shape: 2"));
  EXPECT_EQ(layer->output_shape(), Shape({1, 3, 1, 2}));
  Forward(layer.get());
  EXPECT_EQ(layer->Output(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(layer->out(0).data.data()[1], 3);  // channels are stored last
}

TEST_F(RecordInput, DecodesImageFiles) {
  const std::string png = EncodePng(std::vector<uint8_t>{1, 2, 3, 4, 5, 6}, 3, 1, 2);
  path_ = dir_.Write("png", Tuple("k", Pixels(7, png)));
  const auto layer =
      Build(Store("batchsize: 1 shape: 3 shape: 1 shape: 2 encoded: true mean_value: 1"));
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{7}));
  EXPECT_EQ(layer->Output(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST_F(RecordInput, SubtractsAMeanFromImageFiles) {
  const std::string png = EncodePng(std::vector<uint8_t>{10, 20}, 1, 1, 2);
  path_ = dir_.Write("png", Tuple("k", Pixels(7, png)));
  const std::string mean = dir_.Write("mean", Tuple("mean", Pixels(-1, "\1\2")));
  const auto layer = Build(
      Store(StrCat("batchsize: 1 shape: 1 shape: 2 encoded: true mean_file: \"", mean, "\"")));
  Forward(layer.get());
  EXPECT_EQ(layer->Output(), (std::vector<float>{9, 18}));
}

TEST_F(RecordInput, IsAnInputThatGivesNoGradient) {
  const auto layer = Build(Store());
  EXPECT_TRUE(layer->wiring().is_input);
  EXPECT_FALSE(layer->wiring().differentiable);
}

TEST_F(RecordInput, PartitionsTheRowsOfOneBatch) {
  std::vector<int> rows;
  for (int i = 0; i < 3; ++i) {
    const auto layer = Build(Store("batchsize: 8 shape: 2 shuffle: true"),
                             StrCat("partition_dim: 0 num_partitions: 3 partition_id: ", i));
    EXPECT_EQ(layer->out(0).span.first, i * 8 / 3);
    EXPECT_EQ(layer->out(0).span.batch, 8);
    for (int label : Labels(layer.get())) rows.push_back(label);
    EXPECT_EQ(layer->layer().reader()->Position(), 8);
  }
  EXPECT_EQ(rows, Labels(Build(Store("batchsize: 8 shape: 2 shuffle: true")).get()));
}

TEST_F(RecordInput, PartitionsTheRowsByHand) {
  const std::string sizes = "batchsize: 1 batchsize: 3 shape: 2";
  const auto second = Build(Store(sizes), "partition_dim: 0 num_partitions: 2 partition_id: 1");
  EXPECT_EQ(second->out(0).span.first, 1);
  EXPECT_EQ(second->out(0).span.batch, 4);
  EXPECT_EQ(Labels(second.get()), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(Build(Store(sizes))->output_shape()[0], 4);
}

TEST_F(RecordInput, NeedsNoFileForSyntheticRecords) {
  const std::string store = "backend: \"synthetic\" batchsize: 50 shape: 3 shape: 4 shape: 5 ";
  const auto layer = Build(store + "std_value: 255 synthetic_conf { records: 80 classes: 3 }");
  for (int label : Labels(layer.get())) EXPECT_TRUE(label >= 0 && label < 3) << label;
  for (float x : layer->Output()) EXPECT_TRUE(x >= 0 && x <= 1) << x;
  EXPECT_EQ(layer->layer().reader()->CountRecords(), 80);
}

TEST_F(RecordInput, ShufflesInTrainingOnly) {
  const std::string store = Store("batchsize: 12 shape: 2 shuffle: true random_skip: 5");
  std::vector<int> in_order(12);
  for (int i = 0; i < 12; ++i) in_order[i] = i;
  EXPECT_NE(Labels(Build(store).get()), in_order);
  for (Phase phase : {kTest, kVal}) {
    const auto layer = Build(store);
    EXPECT_EQ(Labels(layer.get(), phase), in_order);
    layer->layer().reader()->Seek(0);
    EXPECT_EQ(Labels(layer.get(), phase), in_order);
  }
}

TEST_F(RecordInput, GoesOnAtItsPosition) {
  const std::string store = Store("batchsize: 5 shape: 2 shuffle: true");
  const auto layer = Build(store);
  for (int i = 0; i < 7; ++i) Forward(layer.get());
  EXPECT_EQ(layer->layer().reader()->Position(), 35);
  const auto resumed = Build(store);
  resumed->layer().reader()->Seek(35);
  EXPECT_EQ(resumed->layer().reader()->Position(), 35);
  EXPECT_EQ(Labels(layer.get()), Labels(resumed.get()));
}

TEST_F(RecordInput, TestsFromRecordZeroEachTime) {
  const auto layer = Build(Store());
  Labels(layer.get(), kTest);
  layer->layer().reader()->Seek(0);
  EXPECT_EQ(Labels(layer.get(), kTest)[0], 0);
}

TEST_F(RecordInput, CountsRecords) {
  EXPECT_EQ(Build(Store())->layer().reader()->CountRecords(), 12);
  const auto layer = Build(Store());
  Forward(layer.get());
  EXPECT_EQ(layer->layer().reader()->CountRecords(), 12);
  EXPECT_GE(layer->layer().reader()->TakeWaitMs(), 0);
}

TEST_F(RecordInput, HasNoLabelsWhereTheConfSaysSo) {
  EXPECT_FALSE(Build(Store("batchsize: 4 shape: 2 has_label: false"))->out(0).has_label());
}

TEST_F(RecordInput, GivesNoLabelsInDeployment) {
  EXPECT_EQ(Labels(Build(Store()).get(), kDeploy), (std::vector<int>{-1, -1, -1, -1}));
}

TEST_F(RecordInput, NamesTheRecordOfAnotherSize) {
  EXPECT_ERROR(Labels(Build(Store("batchsize: 4 shape: 3")).get()), kExitBadData,
               path_ + ": record 0", "2 numbers");
}

TEST_F(RecordInput, ReadsIdx) {
  const std::string images = dir_.Write("images", Idx({2, 1, 2}, "abcd"));
  const std::string labels = dir_.Write("labels", Idx({2}, "\x05\x06"));
  const auto layer = Build("backend: \"idx\" batchsize: 2 shape: 2 path: \"" + images +
                           "\" label_path: \"" + labels + "\"");
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{5, 6}));
  EXPECT_EQ(layer->Output(), (std::vector<float>{'a', 'b', 'c', 'd'}));
}

TEST_F(RecordInput, NamesTheFilesThatMustExist) {
  const auto layer = Build(
      "backend: \"idx\" path: \"i\" label_path: \"l\" mean_file: \"m\" "
      "std_file: \"s\" batchsize: 1 shape: 1");
  const std::vector<std::pair<std::string, std::string>> files = {{"store_conf.path", "i"},
                                                                  {"store_conf.label_path", "l"},
                                                                  {"store_conf.mean_file", "m"},
                                                                  {"store_conf.std_file", "s"}};
  EXPECT_EQ(layer->declare().declared().files, files);
}

TEST_F(RecordInput, RefusesWrongConfigurations) {
  EXPECT_CONFIG_ERROR(BuiltLayer(ctx_, "type: kRecordInput", std::vector<Input>()), "store_conf");
  EXPECT_CONFIG_ERROR(Build("batchsize: 1 shape: 1"), "store_conf.path");
  EXPECT_CONFIG_ERROR_SAYS(Build(Store("backend: \"kvfle\" batchsize: 1 shape: 1")),
                           "store_conf.backend", "did you mean \"kvfile\"");
  EXPECT_CONFIG_ERROR_SAYS(Build(Store("backend: \"hdfsfile\" batchsize: 1 shape: 1")),
                           "store_conf.backend", "not built yet");
  EXPECT_CONFIG_ERROR(Build(Store("backend: \"idx\" batchsize: 1 shape: 1")),
                      "store_conf.label_path");
  EXPECT_CONFIG_ERROR(Build(Store("shape: 1")), "store_conf.batchsize");
  EXPECT_CONFIG_ERROR_SAYS(Build(Store("batchsize: 0 shape: 1")), "store_conf.batchsize",
                           "must be > 0, is 0");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 1")), "store_conf.shape");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 1 shape: 2 shape: 0")), "store_conf.shape#1");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 1 shape: [1, 1, 1, 1, 1, 1, 1, 1]")),
                      "store_conf.shape#7");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 1 shape: 1 std_value: 0")), "store_conf.std_value");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 1 shape: 1 std_value: nan")), "store_conf.std_value");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 1 shape: 1 mean_value: inf")),
                      "store_conf.mean_value");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 1 shape: 1 random_skip: -1")),
                      "store_conf.random_skip");
  for (const char* other : {"cifar10", "idx\" label_path: \"x"})
    EXPECT_CONFIG_ERROR(
        Build(Store(StrCat("batchsize: 1 shape: 1 encoded: true backend: \"", other, "\""))),
        "store_conf.encoded");
}

TEST_F(RecordInput, RefusesPartitionsThatDoNotFit) {
  const std::string three = "num_partitions: 3 partition_dim: ";
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 2 shape: 2"), three + "0"), "store_conf.batchsize");
  EXPECT_CONFIG_ERROR(Build(Store("batchsize: 2 batchsize: 2 shape: 2"), three + "0"),
                      "store_conf.batchsize#1");
}

TEST_F(RecordInput, HasNoSources) {
  EXPECT_CONFIG_ERROR(BuiltLayer(ctx_, "type: kRecordInput store_conf { " + Store() + " }",
                                 {{.shape = {1, 1}, .data = {}, .labels = {}}}),
                      "srclayers");
}

}  // namespace
}  // namespace singa
