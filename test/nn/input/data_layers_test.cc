// Tests the input layers of old files: kShardData, read by kMnist, kRGBImage and kLabel.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/nn/record_reader.h"
#include "support/layer_test.h"
#include "support/net_test.h"

namespace singa {
namespace {

std::string Wrapped(int label, const std::string& pixel, std::vector<int> shape = {}) {
  Record record;
  record.mutable_image()->ParseFromString(Pixels(label, pixel, shape));
  return record.SerializeAsString();
}

class ShardDataTest : public ::testing::Test {
 protected:
  ShardDataTest() {
    for (int i = 0; i < 5; ++i)
      bytes_ += Tuple("k", Wrapped(i, std::string(4, static_cast<char>(10 * i)), {2, 2}));
    path_ = dir_.Write("shard.dat", bytes_);
  }

  std::unique_ptr<BuiltLayer> Build(const std::string& path, const std::string& more = "") {
    return std::make_unique<BuiltLayer>(
        ctx_,
        StrCat("type: kShardData sharddata_conf { path: '", path, "' batchsize: 2 ", more, "}"),
        std::vector<Input>());
  }
  static std::vector<int> Labels(const Port& port) {
    const int32_t* label = port.label.as<int32_t>();
    return {label, label + port.label.size()};
  }

  TempDir dir_;
  std::string bytes_, path_;
  Context ctx_;
};

TEST_F(ShardDataTest, GivesTheNumbersAndLabelsOfWrappedRecords) {
  const auto layer = Build(path_);
  EXPECT_EQ(layer->output_shape(), Shape({2, 2, 2}));
  for (int batch = 0; batch < 2; ++batch) {
    layer->BeginStep(batch);
    layer->Forward(kTrain);
  }
  EXPECT_EQ(Labels(layer->out(0)), (std::vector<int>{2, 3}));
  EXPECT_EQ(layer->Output(), (Values{20, 20, 20, 20, 30, 30, 30, 30}));
  EXPECT_EQ(layer->layer().reader()->Position(), 4);
  EXPECT_EQ(layer->layer().reader()->CountRecords(), 5);
}

TEST_F(ShardDataTest, ReadsTheFolderOfAShard) {
  EXPECT_EQ(Build(std::filesystem::path(path_).parent_path().string())->output_shape(),
            Shape({2, 2, 2}));
}

TEST_F(ShardDataTest, ARecordWhoseShapeDoesNotFitIsOneRow) {
  const std::string path = dir_.Write("flat", Tuple("k", Wrapped(0, "abcdef", {2, 2})));
  EXPECT_EQ(Build(path)->output_shape(), Shape({2, 6}));
  const std::string without = dir_.Write("without", Tuple("k", Wrapped(0, "abc")));
  EXPECT_EQ(Build(without)->output_shape(), Shape({2, 3}));
  const std::string negative = dir_.Write("negative", Tuple("k", Wrapped(0, "abcd", {-2, -2})));
  EXPECT_EQ(Build(negative)->output_shape(), Shape({2, 4}));
}

TEST_F(ShardDataTest, WhatIsWrongWithTheFileIsSaidAtItsField) {
  const auto error = ConfigErrorOf([&] { Build(dir_.Path("none")); });
  EXPECT_TRUE(IsConfigError(error, "sharddata_conf.path", "none: No such file"));
  EXPECT_EQ(error->code(), kExitNoInput);
  const std::string plain = dir_.Write("plain", Tuple("k", Pixels(1, "abcd", {2, 2})));
  EXPECT_CONFIG_ERROR_SAYS(Build(plain), "sharddata_conf.path", "record 0: is no Record");
  const std::string empty = dir_.Write("empty", Tuple("k", Wrapped(1, "", {0})));
  EXPECT_CONFIG_ERROR_SAYS(Build(empty), "sharddata_conf.path", "holds no numbers");
}

TEST_F(ShardDataTest, RejectsWrongSettings) {
  EXPECT_CONFIG_ERROR(Build(""), "sharddata_conf.path");
  EXPECT_CONFIG_ERROR(Build(path_, "random_skip: -1"), "sharddata_conf.random_skip");
  EXPECT_CONFIG_ERROR(BuiltLayer(ctx_, "type: kShardData", std::vector<Input>()), "sharddata_conf");
  EXPECT_CONFIG_ERROR(BuiltLayer(ctx_, "type: kLMDBData", std::vector<Input>()), "lmdbdata_conf");
}

// The net is built as v0.3's examples: a parser and the labels above one data layer.
TEST_F(ShardDataTest, AnOldNetReadsItsImagesAndLabels) {
  TestNet test(StrCat(R"(
    layer { name: 'data' type: kShardData sharddata_conf { path: ')",
                      path_, R"(' batchsize: 5 } }
    layer { name: 'mnist' type: kMnist srclayers: 'data' mnist_conf { norm_a: 10 norm_b: 1 } }
    layer { name: 'label' type: kLabel srclayers: 'data' }
    layer { name: 'fc' type: kInnerProduct srclayers: 'mnist' innerproduct_conf { num_output: 5 }
            param {} param {} }
    layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: 'label' })"));
  test.Forward();
  const Port& image = *test.net.Find("fc")->in[0];
  EXPECT_EQ(image.data.shape(), Shape({5, 1, 2, 2}));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(image.data.data()[i], static_cast<float>(i / 4 - 1));
  EXPECT_EQ(Labels(*test.net.Find("loss")->in[1]), (std::vector<int>{0, 1, 2, 3, 4}));
  test.Backward();
  EXPECT_NE(test.Grad("fc_0"), std::vector<float>(20));
}

TEST_F(ShardDataTest, ALabelBeyondTheClassesIsOfItsRecord) {
  TestNet test(StrCat(R"(
    layer { name: 'data' type: kShardData sharddata_conf { path: ')",
                      path_, R"(' batchsize: 5 } }
    layer { name: 'label' type: kLabel srclayers: 'data' }
    layer { name: 'fc' type: kInnerProduct srclayers: 'data' innerproduct_conf { num_output: 3 }
            param {} param {} }
    layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: 'label' }
    layer { name: 'accuracy' type: kAccuracy srclayers: 'fc' srclayers: 'label' })"));
  EXPECT_ERROR(test.Forward(), kExitBadData, path_ + ": record 3: the label is 3");
}

class OldParserTest : public LayerTest {};
SINGA_TEST_ON_ALL_DEVICES(OldParserTest);

TEST_P(OldParserTest, MnistDividesThenSubtracts) {
  const auto layer = Build("type: kMnist mnist_conf { norm_a: 127.5 norm_b: 1 }",
                           {{.shape = {2, 2, 2}, .data = {0, 51, 102, 153, 204, 255, 0, 127.5f}}});
  EXPECT_EQ(layer->output_shape(), Shape({2, 1, 2, 2}));
  layer->BeginStep(0);
  layer->Forward(kTrain);
  ExpectNear(layer->Output(), {-1, -.6f, -.2f, .2f, .6f, 1, -1, 0}, 1e-6);
}

TEST_P(OldParserTest, MnistMakesSquaresOfFlatRows) {
  EXPECT_EQ(Build("type: kMnist", Shape({3, 9}))->output_shape(), Shape({3, 1, 3, 3}));
}

TEST_P(OldParserTest, MnistRejectsWhatIsNoSquareOfOneChannel) {
  EXPECT_CONFIG_ERROR_SAYS(Build("type: kMnist", Shape({2, 6})), "srclayers", "(2, 6)");
  EXPECT_CONFIG_ERROR(Build("type: kMnist", Shape({2, 4, 2, 2})), "srclayers");
  EXPECT_CONFIG_ERROR(Build("type: kMnist mnist_conf { norm_a: 0 }", Shape({2, 4})),
                      "mnist_conf.norm_a");
  EXPECT_CONFIG_ERROR(Build("type: kMnist mnist_conf { norm_b: inf }", Shape({2, 4})),
                      "mnist_conf.norm_b");
}

TEST_P(OldParserTest, RgbImageIsImagePreprocess) {
  const Input x = {.shape = {3, 2, 5, 5}};
  const std::string settings = " rgbimage_conf { scale: 2 cropsize: 3 mirror: true }";
  for (Phase phase : {kTrain, kTest})
    EXPECT_EQ(Feature("name: 'a' type: kRGBImage" + settings, {x}, {.phase = phase}),
              Feature("name: 'a' type: kImagePreprocess" + settings, {x}, {.phase = phase}));
}

TEST_P(OldParserTest, LabelGivesLabelsAsLabelsAndAsNumbers) {
  const auto layer = Build("type: kLabel", {{.shape = {3, 2}, .labels = {7, 0, 2}}});
  layer->BeginStep(0);
  layer->Forward(kTrain);
  EXPECT_EQ(layer->Output(), (Values{7, 0, 2}));
  const int32_t* label = layer->out(0).label.as<int32_t>();
  EXPECT_EQ(std::vector<int>(label, label + 3), (std::vector<int>{7, 0, 2}));
  EXPECT_CONFIG_ERROR(Build("type: kLabel srclayers: 'fc'", Shape({3, 2})), "srclayers");
}

}  // namespace
}  // namespace singa
