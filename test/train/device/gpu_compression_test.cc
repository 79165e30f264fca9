// Tests the state and the memory that ways to send less than whole gradients need.
#include "train/device/gpu_compression.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "train/reduce/exchange_state.h"

namespace singa::gpu_compression_test {
namespace {

// A matrix of 40 x 30, which is two slices, and a bias of 7.
class GpuCompressionTest : public ::testing::Test {
 protected:
  GpuCompressionTest() {
    for (const Shape& shape : {Shape{40, 30}, Shape{7}}) {
      params_.push_back(std::make_unique<Param>("param", "layer", "", ParamProto(), shape));
      trained_.params.push_back(params_.back().get());
    }
    trained_.own = trained_.params;
    trained_.table = SliceTable({{40, 30}, {7}});
    conf_.set_rank(2);
  }

  const GpuCompression& Of(AllReduceProto::Compression compression) {
    conf_.set_compression(compression);
    return CompressionOf(conf_);
  }
  CompressedParams Params(int64_t states = 0, float momentum = 0) const {
    return {conf_, trained_, states, momentum};
  }
  using ShapesByName = std::map<std::string, Shape>;
  static ShapesByName Shapes(const std::vector<StatePart>& parts, bool common) {
    ShapesByName shapes;
    for (const StatePart& part : parts)
      if (part.common == common) shapes[part.name] = part.shape;
    return shapes;
  }

  std::vector<std::unique_ptr<Param>> params_;
  TrainedParams trained_;
  AllReduceProto conf_;
};

TEST_F(GpuCompressionTest, OfWholeGradientsKeepsNoState) {
  for (const auto compression : {AllReduceProto::kNone, AllReduceProto::kFp16}) {
    EXPECT_FALSE(Of(compression).keeps_state());
    EXPECT_EQ(CompressionOf(conf_).StateFloats(Params()), 0);
  }
  EXPECT_EQ(Of(AllReduceProto::kNone).MessageBytes(Params(), 2), 0);
  EXPECT_GE(Of(AllReduceProto::kFp16).MessageBytes(Params(), 2), 6 * 1207);
}

TEST_F(GpuCompressionTest, OfTheLargestFloatsKeepsARestAndMaybeAMomentum) {
  for (const auto compression : {AllReduceProto::kTopK, AllReduceProto::kThreshold}) {
    const GpuCompression& way = Of(compression);
    EXPECT_EQ(way.state_kind, kCodecState);
    EXPECT_EQ(
        Shapes(way.parts(Params()), false),
        (ShapesByName{{"slice0", {1, 1, 960}}, {"slice1", {1, 1, 240}}, {"slice2", {1, 1, 7}}}));
    EXPECT_EQ(
        Shapes(way.parts(Params(0, 0.9f)), false),
        (ShapesByName{{"slice0", {2, 1, 960}}, {"slice1", {2, 1, 240}}, {"slice2", {2, 1, 7}}}));
    EXPECT_EQ(way.StateFloats(Params(0, 0.9f)), 2 * 1207);
    EXPECT_EQ(way.GpuStateFloats(Params(0, 0.9f)), 2 * 1207);
    conf_.set_error_feedback(false);
    EXPECT_TRUE(way.parts(Params()).empty());
    conf_.clear_error_feedback();
  }
}

TEST_F(GpuCompressionTest, OfThinMatricesKeepsARestAndACommonBasis) {
  const GpuCompression& way = Of(AllReduceProto::kPowerSGD);
  EXPECT_EQ(way.state_kind, kLowRankState);
  EXPECT_EQ(Shapes(way.parts(Params()), false), (ShapesByName{{"param0", {40, 30}}}));
  EXPECT_EQ(Shapes(way.parts(Params()), true), (ShapesByName{{"param0", {30, 2}}}));
  EXPECT_EQ(way.GpuStateFloats(Params()), 1200 + 60);
  // P and two of Q for the matrix, and the bias.
  EXPECT_EQ(way.MessageBytes(Params(), 2), (80 + 2 * 60 + 7) * 4);
  conf_.set_error_feedback(false);
  EXPECT_TRUE(Shapes(way.parts(Params()), false).empty());
  EXPECT_EQ(way.StateFloats(Params()), 60);
}

TEST_F(GpuCompressionTest, OfMeansKeepsValuesThatTheGpuHasAnyway) {
  const GpuCompression& way = Of(AllReduceProto::kPartial);
  EXPECT_EQ(way.state_kind, kOwnValuesState);
  EXPECT_EQ(Shapes(way.parts(Params(2)), false),
            (ShapesByName{{"slice0", {3, 960}}, {"slice1", {3, 240}}, {"slice2", {3, 7}}}));
  EXPECT_EQ(way.StateFloats(Params(2)), 3 * 1207);
  EXPECT_EQ(way.GpuStateFloats(Params(2)), 0);
  EXPECT_EQ(way.MessageBytes(Params(2), 2), 3 * 1207 * 4) << "all params are one bucket";
}

}  // namespace
}  // namespace singa::gpu_compression_test
