#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class CsvInput : public ::testing::Test {
 protected:
  std::unique_ptr<BuiltLayer> Build(const std::string& text, const std::string& store) {
    path_ = dir_.Write("a.csv", text);
    return std::make_unique<BuiltLayer>(
        ctx_, "type: kCSVInput store_conf { path: \"" + path_ + "\" " + store + " }",
        std::vector<Input>());
  }

  static void Forward(BuiltLayer* layer, Phase phase = kTrain) {
    layer->BeginStep(0);
    layer->Forward(phase);
  }

  TempDir dir_;
  std::string path_;
  Context ctx_;
};

TEST_F(CsvInput, GivesFeatureAndLabels) {
  const auto layer = Build("1,0.5,2\r\n0, -1, 3", "batchsize: 2 shape: 2");
  Forward(layer.get());
  EXPECT_EQ(layer->Output(), (std::vector<float>{.5f, 2, -1, 3}));
  EXPECT_EQ(layer->out(0).label.as<int32_t>()[0], 1);
}

TEST_F(CsvInput, ReadsLinesWithoutLabels) {
  const auto layer = Build("1;2\n3;4\n", "batchsize: 2 shape: 2 has_label: false separator: \";\"");
  Forward(layer.get());
  EXPECT_EQ(layer->Output(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_FALSE(layer->out(0).has_label());
}

TEST_F(CsvInput, TakesTheFirstNumberForALabelButInDeployment) {
  const auto layer = Build("1,2\n3,4\n", "batchsize: 2 shape: 2");
  Forward(layer.get(), kDeploy);
  EXPECT_EQ(layer->Output(), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(CsvInput, NamesTheLineWithAnotherNumberOfNumbers) {
  const auto layer = Build("1,2,3\n1,2\n", "batchsize: 2 shape: 2");
  EXPECT_ERROR(Forward(layer.get()), kExitBadData, path_ + ":2: record 1: ", "1 number");
}

TEST_F(CsvInput, NamesTheLineOfWhatIsNoNumber) {
  const auto layer = Build("1,2,3\n\n1,nan,3\n", "batchsize: 2 shape: 2");
  EXPECT_ERROR(Forward(layer.get()), kExitBadData, path_ + ":3:", "\"nan\"");
}

TEST_F(CsvInput, RefusesWrongConfigurations) {
  EXPECT_CONFIG_ERROR(Build("", "batchsize: 1 shape: 1 backend: \"idx\""), "store_conf.backend");
  EXPECT_CONFIG_ERROR(Build("", "batchsize: 1 shape: 1 separator: \"\""), "store_conf.separator");
  EXPECT_CONFIG_ERROR(Build("", "batchsize: -1 shape: 1"), "store_conf.batchsize");
}

}  // namespace
}  // namespace singa
