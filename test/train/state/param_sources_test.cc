#include "train/state/param_sources.h"

#include <gtest/gtest.h>

#include "base/file/file_system.h"
#include "io/checkpoint/blob_protos.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class ParamSourcesTest : public ::testing::Test {
 protected:
  ParamSourcesTest() {
    LayerProto layer;
    layer.set_name("fc");
    params_.Get(layer, "layer[fc]", 0, {2, 3});
    params_.Get(layer, "layer[fc]", 1, {2});
  }

  // Writes a file of SINGA 0.3 with one param of zeros. Returns its path.
  std::string Write(const std::string& file, const std::string& param, const Shape& shape) {
    const std::vector<float> values(static_cast<size_t>(shape.size()));
    const auto out = disk_.Create(folder_.Path(file));
    WriteBlob(param, 7, shape, values, out.get());
    return folder_.Path(file);
  }

  InitReport Judge(const std::vector<std::string>& files) {
    errors_.clear();
    return JudgeParamFiles(files, params_, &errors_);
  }

  ParamTable params_;
  TempDir folder_;
  PosixFileSystem disk_;
  ConfigErrors errors_;
};

TEST_F(ParamSourcesTest, SaysWhichFileGivesWhat) {
  const InitReport report = Judge({Write("a", "fc_0", {2, 3}), Write("b", "fc_0", {2, 3})});
  EXPECT_TRUE(errors_.empty());
  EXPECT_EQ(report.loaded, std::vector<std::string>({"fc_0"}));
  EXPECT_EQ(report.initialised, std::vector<std::string>({"fc_1"}));
  EXPECT_EQ(report.loaded_by.at("fc_0"), 1u);
  EXPECT_EQ(report.version, 7);
}

TEST_F(ParamSourcesTest, EachFileHasItsOwnMistakes) {
  Judge({Write("a", "fc_0", {3, 2}), folder_.Path("gone"), Write("b", "other", {1})});
  ASSERT_EQ(errors_.size(), 3u);
  EXPECT_EQ(errors_[0].path(), "checkpoint_path[1]");
  EXPECT_EQ(errors_[0].code(), kExitNoInput);
  EXPECT_EQ(errors_[1].path(), "checkpoint_path[0]");
  EXPECT_EQ(errors_[2].path(), "checkpoint_path[2]");
  EXPECT_EQ(errors_[2].message(), "no param of \"" + folder_.Path("b") +
                                      "\" is one of the net's: it has \"other\", the net "
                                      "\"fc_0\", \"fc_1\"");
}

TEST_F(ParamSourcesTest, AWrongShapeInAnEarlierFileIsAMistakeThoughALaterOneFits) {
  Judge({Write("a", "fc_0", {3, 2}), Write("b", "fc_0", {2, 3})});
  ASSERT_EQ(errors_.size(), 1u);
  EXPECT_EQ(errors_[0].path(), "checkpoint_path[0]");
}

}  // namespace
}  // namespace singa
