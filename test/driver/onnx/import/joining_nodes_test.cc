// Tests imports of nodes that join and cut features.
#include <gtest/gtest.h>

#include "support/driver/imported_graph.h"

namespace singa::joining_nodes {
namespace {

TEST(JoiningNodes, FeaturesAreJoinedAlongADimension) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"r"});
  graph.Add("Concat", {"x", "r"}, {"c"}, {OnnxInt("axis", -3)});
  graph.Add("Conv", {"c", Constant(&graph, {1, 6, 3, 3})}, {"y"});
  const NetProto net = ImportGraph(&graph).job.neuralnet();
  ASSERT_EQ(net.layer_size(), 4);
  EXPECT_EQ(net.layer(2).type(), kConcate);
  EXPECT_EQ(net.layer(2).concate_conf().concate_dim(), 1);
  EXPECT_EQ(net.layer(2).srclayers_size(), 2);
}

TEST(JoiningNodes, FeaturesOfOtherSizesAreRefused) {
  OnnxGraph sizes = PictureGraph(), batch = PictureGraph();
  sizes.Add("GlobalMaxPool", {"x"}, {"p"});
  sizes.Add("Concat", {"x", "p"}, {"y"}, {OnnxInt("axis", 1)});
  ExpectText(ImportRefusalOf(&sizes), "joins (N, 3, 8, 8) and (N, 3, 1, 1) along dimension 1");
  batch.Add("Concat", {"x", "x"}, {"y"}, {OnnxInt("axis", 0)});
  ExpectText(ImportRefusalOf(&batch), "works on dimension 0 of (N, 3, 8, 8)");
}

TEST(JoiningNodes, ASplitIsASliceLayer) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Split", {"x"}, {"a", "b", "c"}, {OnnxInt("axis", 1)});
  graph.Add("Relu", {"b"}, {"y"});
  const NetProto net = ImportGraph(&graph).job.neuralnet();
  ASSERT_EQ(net.layer_size(), 3);
  EXPECT_EQ(net.layer(1).type(), kSlice);
  EXPECT_EQ(net.layer(1).slice_conf().num_slices(), 3);
  EXPECT_EQ(net.layer(1).slice_conf().slice_dim(), 1);
  EXPECT_EQ(net.layer(2).srclayers(0), "a:1");
}

TEST(JoiningNodes, PiecesDifferByOneAtMost) {
  const auto split = [](const std::vector<int64_t>& pieces) {
    OnnxGraph graph = PictureGraph();
    graph.Add("Split", {"x", graph.Ints("pieces", pieces)}, {"y", "z"}, {OnnxInt("axis", 1)});
    return ImportRefusalOf(&graph);
  };
  EXPECT_EQ(split({1, 2}), "");
  ExpectText(split({2, 1}), "cuts 3 into pieces of (2, 1); a layer's pieces differ by at most one");
  ExpectText(split({3}), "cuts 3 into pieces of (3)");
}

TEST(JoiningNodes, OtherSplitsAreRefused) {
  OnnxGraph many = PictureGraph();
  many.Add("Split", {"x"}, {"y", "b", "c", "d"}, {OnnxInt("axis", 1)});
  ExpectText(ImportRefusalOf(&many), "has 4 outputs; a layer of this size has up to 3");
  ExpectRefusals({"N", 3, 8, 8}, {{"Split", {}, {}, "cuts dimension 0 of (N, 3, 8, 8)"}});
}

TEST(JoiningNodes, ASliceNeedsListsOfOneLength) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Slice",
            {"x", graph.Ints("from", {2, 2}), graph.Ints("to", {6, 6}), graph.Ints("axes", {2, 3}),
             graph.Ints("steps", {1})},
            {"y"});
  ExpectText(ImportRefusalOf(&graph), "has lists of different lengths");
}

TEST(JoiningNodes, ASliceOfARectangleIsACropOfItsHeightAndWidth) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Slice",
            {"x", graph.Ints("from", {1, 2}), graph.Ints("to", {7, 6}), graph.Ints("axes", {2, 3})},
            {"y"});
  const RGBImageProto conf = LastLayerOf(&graph).rgbimage_conf();
  EXPECT_EQ(conf.crop_height(), 6);
  EXPECT_EQ(conf.crop_width(), 4);
  EXPECT_FALSE(conf.has_cropsize());
}

TEST(JoiningNodes, ASliceOfAnOldModelHasItsListsAsAttributes) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Slice", {"x"}, {"y"},
            {OnnxInts("starts", {1, 1}), OnnxInts("ends", {7, 7}), OnnxInts("axes", {2, 3})});
  EXPECT_EQ(LastLayerOf(&graph).rgbimage_conf().cropsize(), 6);
}

}  // namespace
}  // namespace singa::joining_nodes
