// Tests imports of pooling and of means over pictures.
#include <gtest/gtest.h>

#include "support/driver/imported_graph.h"

namespace singa::pooling_nodes {
namespace {

PoolingProto PoolingOf(const std::string& op, const OnnxAttributes& attributes) {
  OnnxGraph graph = PictureGraph();
  graph.Add(op, {"x"}, {"y"}, attributes);
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.type(), kPooling);
  return layer.pooling_conf();
}

TEST(PoolingNodes, KeepTheWindow) {
  const PoolingProto conf =
      PoolingOf("MaxPool", {OnnxInts("kernel_shape", {2, 3}), OnnxInts("strides", {2, 1}),
                            OnnxInts("pads", {0, 1, 0, 1})});
  EXPECT_EQ(conf.pool(), PoolingProto::MAX);
  EXPECT_EQ(conf.kernel_y(), 2);
  EXPECT_EQ(conf.kernel_x(), 3);
  EXPECT_EQ(conf.stride_y(), 2);
  EXPECT_EQ(conf.pad_x(), 1);
  EXPECT_FALSE(conf.ceil_mode());
}

TEST(PoolingNodes, KeepWindowsThatReachBeyondThePicture) {
  const OnnxAttributes window = {OnnxInts("kernel_shape", {3, 3}), OnnxInts("strides", {2, 2})};
  OnnxAttributes up = window, padded = window;
  up.push_back(OnnxInt("ceil_mode", 1));
  padded.push_back(OnnxInts("pads", {0, 0, 1, 1}));
  EXPECT_FALSE(PoolingOf("MaxPool", window).ceil_mode());
  EXPECT_TRUE(PoolingOf("MaxPool", up).ceil_mode());
  EXPECT_TRUE(PoolingOf("MaxPool", padded).ceil_mode());
}

TEST(PoolingNodes, OfWholePicturesNeedNoWindow) {
  const PoolingProto most = PoolingOf("GlobalMaxPool", {});
  EXPECT_TRUE(most.global_pooling());
  EXPECT_EQ(most.pool(), PoolingProto::MAX);
  EXPECT_EQ(PoolingOf("GlobalAveragePool", {}).pool(), PoolingProto::AVG);
  EXPECT_TRUE(PoolingOf("ReduceMean", {OnnxInts("axes", {-1, -2})}).global_pooling());
}

TEST(PoolingNodes, AMeanMayLeaveTheSidesOut) {
  OnnxGraph graph = PictureGraph();
  graph.Add("ReduceMean", {"x", graph.Ints("axes", {2, 3})}, {"m"}, {OnnxInt("keepdims", 0)});
  graph.Add("Gemm", {"m", Constant(&graph, {3, 2})}, {"y"});
  EXPECT_EQ(LastLayerOf(&graph).innerproduct_conf().num_output(), 2);
}

TEST(PoolingNodes, AMeanCountsThePaddingThatItIsToldTo) {
  const OnnxAttributes counted = {OnnxInts("kernel_shape", {3, 3}), OnnxInts("pads", {1, 1, 1, 1}),
                                  OnnxInt("count_include_pad", 1)};
  EXPECT_EQ(PoolingOf("AveragePool", counted).pad(), 1);
  OnnxGraph graph = PictureGraph();
  graph.Add("Pad", {"x", graph.Ints("pads", {0, 0, 1, 1, 0, 0, 1, 1})}, {"p"});
  graph.Add("AveragePool", {"p"}, {"y"}, {OnnxInts("kernel_shape", {2, 2})});
  EXPECT_EQ(LastLayerOf(&graph).pooling_conf().pad(), 1);
}

TEST(PoolingNodes, OtherWindowsAreRefused) {
  const auto kernel = [](int64_t size) { return OnnxInts("kernel_shape", {size, size}); };
  ExpectRefusals(
      {"N", 3, 8, 8},
      {{"MaxPool", {}, {}, "has no kernel_shape"},
       {"AveragePool", {}, {}, "has no kernel_shape"},
       {"MaxPool", {}, {kernel(2), OnnxInts("dilations", {2, 2})}, "has dilations"},
       {"MaxPool", {}, {kernel(2), OnnxInts("pads", {2, 2, 2, 2})}, "has more padding than a"},
       {"MaxPool", {}, {kernel(9)}, "its window is larger than the picture"},
       {"MaxPool", {}, {kernel(2), OnnxInts("pads", {0, 0, 1, 1})}, "has windows that no layer"},
       {"AveragePool", {}, {kernel(3), OnnxInts("pads", {1, 1, 1, 1})}, "leaves padding out of"},
       {"AveragePool",
        {},
        {kernel(3), OnnxInts("pads", {0, 0, 1, 1}), OnnxInt("count_include_pad", 1)},
        "pads differ on opposite sides of the picture"},
       {"ReduceMean", {}, {OnnxInts("axes", {1})}, "takes the mean of dimensions (1) of (N, 3, 8"},
       {"ReduceMean", {}, {OnnxInts("axes", {4})}, "axis 4 is none of the 4 dimensions"}});
}

TEST(PoolingNodes, PlacesOfMaximaAreRefused) {
  OnnxGraph graph = PictureGraph();
  graph.Add("MaxPool", {"x"}, {"y", "places"}, {OnnxInts("kernel_shape", {2, 2})});
  ExpectText(ImportRefusalOf(&graph), "(MaxPool): gives indices, which no layer does");
}

}  // namespace
}  // namespace singa::pooling_nodes
