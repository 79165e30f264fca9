// Tests the processing of records that goes into a model. test/system/onnx_outputs.py tests the
// results.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "driver/onnx/net_export.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "support/net_test.h"

namespace singa::input_export {
namespace {

using Numbers = std::vector<float>;

class InputExport : public testing::Test {
 protected:
  // Exports a net with an input layer of pictures and these layers.
  void Export(const std::string& store, const std::string& layers, const std::string& output) {
    const NetProto conf =
        ParseNet(StrCat("layer { name: 'data' type: kRecordInput store_conf { path: 'none' "
                        "batchsize: 7 ",
                        store, " } } ", layers));
    ParamTable params;
    const Net net = NetToExport(conf, &params);
    ASSERT_TRUE(model_.ParseFromString(ExportNet(net, output).Serialize("net")));
    for (const auto& entry : model_.metadata_props()) told_[entry.key()] = entry.value();
  }
  std::string Ops() const {
    std::string ops;
    for (const auto& node : model_.graph().node()) ops += node.op_type() + " ";
    return ops;
  }
  template <typename T>
  std::vector<T> Constant(const std::string& name) const {
    for (const auto& tensor : model_.graph().initializer()) {
      if (tensor.name() != name) continue;
      std::vector<T> values(tensor.raw_data().size() / sizeof(T));
      std::memcpy(values.data(), tensor.raw_data().data(), tensor.raw_data().size());
      return values;
    }
    ADD_FAILURE() << "no constant " << name;
    return {};
  }
  // Returns a layer that reads `source`.
  static std::string Layer(const std::string& name, const std::string& type,
                           const std::string& source, const std::string& settings = "") {
    return StrCat("layer { name: '", name, "' type: ", type, " srclayers: '", source, "' ",
                  settings, " } ");
  }

  TempDir dir_;
  onnx::ModelProto model_;
  std::map<std::string, std::string> told_;
  const std::string shape_ = "shape: [1, 4, 6] ", relu_ = Layer("end", "kReLU", "data");
};

TEST_F(InputExport, RecordsThatAreTakenAsTheyAreNeedNoNode) {
  Export(shape_, relu_, "end");
  EXPECT_EQ(Ops(), "Relu ");
  EXPECT_EQ(told_["mean_value"], "0");
  EXPECT_EQ(told_["std_value"], "1");
  EXPECT_EQ(told_["preprocessing"], "in the graph: (x - mean) / std");
}

TEST_F(InputExport, MeanAndDeviationAreOneNumberEach) {
  Export(shape_ + "mean_value: 0.1 std_value: 255", relu_, "end");
  EXPECT_EQ(Ops(), "Sub Div Relu ");
  EXPECT_EQ(told_["mean_value"], "0.1");  // reads back as the same float
  EXPECT_EQ(Constant<float>(model_.graph().node(0).input(1)), Numbers{0.1f});
  EXPECT_EQ(Constant<float>(model_.graph().node(1).input(1)), Numbers{255});
}

TEST_F(InputExport, FilesGiveANumberForEachOfARecord) {
  Numbers mean;
  for (int i = 0; i < 24; ++i) mean.push_back(static_cast<float>(i));
  const std::string file = dir_.Write("mean", Tuple("0", Floats(mean)));
  Export(shape_ + "mean_file: '" + file + "'", relu_, "end");
  EXPECT_EQ(Ops(), "Sub Relu ");
  EXPECT_EQ(Constant<float>("data#mean"), mean);
  EXPECT_EQ(told_["mean_file"], file);
  EXPECT_EQ(told_.count("mean_value"), 0u);
}

TEST_F(InputExport, ChannelsHaveANumberEach) {
  Export("shape: [3, 4, 6] std_value: 255 channel_mean: [0.5, 0.25, 0] channel_std: [1, 2, 4]",
         relu_, "end");
  EXPECT_EQ(Ops(), "Div Sub Div Relu ");
  EXPECT_EQ(Constant<float>("data#channel_mean"), (Numbers{0.5f, 0.25f, 0}));
  EXPECT_EQ(Constant<float>("data#channel_std"), (Numbers{1, 2, 4}));
  for (const auto& tensor : model_.graph().initializer())
    if (tensor.name() == "data#channel_mean") {
      ASSERT_EQ(tensor.dims_size(), 3);
      EXPECT_EQ(tensor.dims(0), 3);
      EXPECT_EQ(tensor.dims(1), 1);
    }
  EXPECT_EQ(told_["preprocessing"],
            "in the graph: ((x - mean) / std - channel_mean) / channel_std");
  EXPECT_EQ(told_["channel_mean"], "0.5, 0.25, 0");
}

TEST_F(InputExport, AMissingFileIsAnError) {
  EXPECT_THROW(Export(shape_ + "mean_file: '/none'", relu_, "end"), FileError);
}

// A test takes the centre, where training takes a random place.
TEST_F(InputExport, APictureIsCutAtItsCentreAndScaled) {
  Export(shape_,
         Layer("cut", "kImagePreprocess", "data", "rgbimage_conf { cropsize: 2 scale: 0.5 }"),
         "cut");
  EXPECT_EQ(Ops(), "Slice Mul Identity ");
  using Places = std::vector<int64_t>;
  EXPECT_EQ(Constant<int64_t>("cut#begin"), (Places{1, 2}));
  EXPECT_EQ(Constant<int64_t>("cut#end"), (Places{3, 4}));
  EXPECT_EQ(Constant<int64_t>("cut#axes"), (Places{2, 3}));
  EXPECT_EQ(told_["crop"], "the centre, 2 x 2");
  EXPECT_EQ(told_["scale"], "0.5");
}

TEST_F(InputExport, APictureOfTheRightSizeIsNotCut) {
  Export("shape: [1, 4, 4]",
         Layer("cut", "kImagePreprocess", "data", "rgbimage_conf { cropsize: 4 }"), "cut");
  EXPECT_EQ(Ops(), "Identity ");
  EXPECT_EQ(told_.count("crop"), 0u);
}

}  // namespace
}  // namespace singa::input_export
