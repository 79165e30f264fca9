// Tests imports of convolutions, normalisations and padding of pictures.
#include <gtest/gtest.h>

#include "support/driver/imported_graph.h"

namespace singa::image_nodes {
namespace {

TEST(ImageNodes, AConvolutionKeepsItsWindowOnEachSide) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Conv", {"x", Constant(&graph, {6, 1, 3, 3}), Constant(&graph, {6})}, {"y"},
            {OnnxInt("group", 3), OnnxInts("strides", {2, 1}), OnnxInts("dilations", {1, 2}),
             OnnxInts("pads", {1, 2, 1, 2})});
  const LayerProto layer = LastLayerOf(&graph);
  const ConvolutionProto& conf = layer.convolution_conf();
  EXPECT_EQ(conf.num_filters(), 6);
  EXPECT_EQ(conf.group(), 3);
  EXPECT_EQ(conf.kernel(), 3);
  EXPECT_EQ(conf.stride_y(), 2);
  EXPECT_EQ(conf.stride_x(), 1);
  EXPECT_EQ(conf.dilation_y(), 1);
  EXPECT_EQ(conf.dilation_x(), 2);
  EXPECT_EQ(conf.pad_y(), 1);
  EXPECT_EQ(conf.pad_x(), 2);
  EXPECT_EQ(layer.param_size(), 2);
}

TEST(ImageNodes, AConvolutionPadsByItsRule) {
  OnnxGraph same = PictureGraph(), valid = PictureGraph();
  same.Add("Conv", {"x", Constant(&same, {1, 3, 3, 3})}, {"y"},
           {OnnxText("auto_pad", "SAME_LOWER"), OnnxInts("dilations", {2, 2})});
  EXPECT_EQ(LastLayerOf(&same).convolution_conf().pad(), 2);
  EXPECT_EQ(LastLayerOf(&same).convolution_conf().dilation(), 2);
  valid.Add("Conv", {"x", Constant(&valid, {1, 3, 3, 3})}, {"y"}, {OnnxText("auto_pad", "VALID")});
  EXPECT_FALSE(LastLayerOf(&valid).convolution_conf().has_pad());
}

TEST(ImageNodes, AConvolutionReadsAPictureWithoutChannels) {
  OnnxGraph graph = GraphOf({"N", 8, 8});
  graph.Add("Unsqueeze", {"x", graph.Ints("axes", {1})}, {"u"});
  graph.Add("Conv", {"u", Constant(&graph, {2, 1, 3, 5})}, {"y"});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.srclayers(0), "x");
  EXPECT_EQ(layer.convolution_conf().kernel_y(), 3);
  EXPECT_EQ(layer.convolution_conf().kernel_x(), 5);
}

TEST(ImageNodes, AConvolutionTakesThePaddingBeforeIt) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Pad", {"x", graph.Ints("pads", {0, 0, 1, 1, 0, 0, 1, 1})}, {"p"});
  graph.Add("Conv", {"p", Constant(&graph, {1, 3, 3, 3})}, {"y"});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.convolution_conf().pad(), 1);
  EXPECT_EQ(layer.srclayers(0), "x");
}

TEST(ImageNodes, APadOfNothingVanishes) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Pad", {"x"}, {"p"}, {OnnxInts("pads", std::vector<int64_t>(8, 0))});
  graph.Add("Relu", {"p"}, {"y"});
  EXPECT_EQ(ImportGraph(&graph).job.neuralnet().layer_size(), 2);
}

TEST(ImageNodes, APadThatAnotherLayerReadsIsRefused) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Pad", {"x", graph.Ints("pads", {0, 0, 1, 1, 0, 0, 1, 1})}, {"p"});
  graph.Add("Relu", {"p"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "(Pad): no layer pads");
}

TEST(ImageNodes, OtherConvolutionsAreRefused) {
  ExpectRefusals(
      {"N", 3, 8, 8},
      {{"Conv", {}, {}, "input 1 is missing"},
       {"Conv", {{3, 3, 3}}, {}, "has filters of (3, 3, 3); only those of pictures"},
       {"Conv", {{0, 3, 3, 3}}, {}, "has filters of (0, 3, 3, 3)"},
       {"Conv", {{2, 3, 3, 3}}, {OnnxInt("group", 2)}, "has filters of (2, 3, 3, 3) in 2 groups"},
       {"Conv", {{3, 3, 3, 3}}, {OnnxFloat("group", 1)}, "attribute group is no integer"},
       {"Conv", {{3, 3, 3, 3}, {2}}, {}, "has 3 filters, and a bias of (2)"},
       {"Conv", {{3, 3, 3, 3}}, {OnnxInts("pads", {0, 0, 1, 1})}, "pads differ on opposite sides"},
       {"Conv", {{3, 3, 3, 3}}, {OnnxInts("kernel_shape", {5, 5})}, "kernel_shape is (5, 5), the"},
       {"Conv", {{3, 3, 3, 3}}, {OnnxInts("strides", {1, 1, 1})}, "strides has 3 sizes, not the 2"},
       {"Conv", {{3, 3, 3, 3}}, {OnnxInts("strides", {0, 1})}, "strides must be from 1 to"},
       {"Conv", {{3, 3, 3, 3}}, {OnnxInts("pads", std::vector<int64_t>(1025))}, "attribute pads"},
       {"Conv", {{3, 3, 3, 3}}, {OnnxText("auto_pad", "ODD")}, "auto_pad is ODD"},
       {"Conv", {{1, 3, 9, 9}}, {}, "its window of 9 pixels is larger than the picture of 8"}});
  ExpectRefusals({"N", 4}, {{"Conv", {{3, 3, 3, 3}}, {}, "reads (N, 4); only pictures"}});
}

TEST(ImageNodes, FiltersThatAreNoConstantsAreRefused) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Relu", {"x"}, {"r"});
  graph.Add("Conv", {"x", "r"}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "input \"r\" must be a constant of the file");
}

TEST(ImageNodes, APictureThatWasReshapedIsRefused) {
  OnnxGraph graph = PictureGraph();
  graph.Add("Reshape", {"x", graph.Ints("sizes", {-1, 3, 4, 16})}, {"s"});
  graph.Add("Conv", {"s", Constant(&graph, {1, 3, 3, 3})}, {"y"});
  ExpectText(ImportRefusalOf(&graph), "reads a feature with rows of (3, 8, 8) as (N, 3, 4, 16)");
}

TEST(ImageNodes, ATransposedConvolutionIsADeconvolution) {
  OnnxGraph graph = PictureGraph();
  graph.Add("ConvTranspose", {"x", Constant(&graph, {3, 2, 2, 2})}, {"y"},
            {OnnxInts("strides", {2, 2}), OnnxInts("output_padding", {0, 0})});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.type(), kDeconvolution);
  EXPECT_EQ(layer.convolution_conf().num_filters(), 2);
  EXPECT_EQ(layer.convolution_conf().stride(), 2);
}

TEST(ImageNodes, OtherTransposedConvolutionsAreRefused) {
  const std::vector<std::vector<int64_t>> filters = {{3, 2, 2, 2}};
  ExpectRefusals(
      {"N", 3, 8, 8},
      {{"ConvTranspose", {{4, 2, 2, 2}}, {}, "has filters of (4, 2, 2, 2) in 1 groups for 3"},
       {"ConvTranspose", filters, {OnnxInts("output_padding", {1, 1})}, "output_padding: no layer"},
       {"ConvTranspose", filters, {OnnxText("auto_pad", "SAME_UPPER")}, "auto_pad is SAME_UPPER"},
       {"ConvTranspose", filters, {OnnxInts("pads", {0, 0, 1, 1})}, "pads differ on opposite"},
       {"ConvTranspose",
        filters,
        {OnnxInts("strides", {1 << 20, 1 << 20})},
        "would have rows of (2, 7340034, 7340034), which are empty or too large"}});
}

TEST(ImageNodes, ABatchNormalizationKeepsItsNumbers) {
  OnnxGraph graph = PictureGraph();
  const std::string g = Constant(&graph, {3});
  graph.Add("BatchNormalization", {"x", g, g, g, g}, {"y"},
            {OnnxFloat("epsilon", 0.5f), OnnxFloat("momentum", 0.25f)});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.type(), kBM);
  EXPECT_EQ(layer.bm_conf().epsilon(), 0.5f);
  EXPECT_EQ(layer.bm_conf().momentum(), 0.25f);
  EXPECT_EQ(layer.param_size(), 4);
}

TEST(ImageNodes, ABatchNormalizationReadsRowsToo) {
  OnnxGraph rows = GraphOf({"N", 4}), flat = PictureGraph();
  const std::string g = Constant(&rows, {4}), wide = Constant(&flat, {192});
  rows.Add("BatchNormalization", {"x", g, g, g, g}, {"y"});
  EXPECT_EQ(LastLayerOf(&rows).type(), kBM);
  flat.Add("Flatten", {"x"}, {"f"});
  flat.Add("BatchNormalization", {"f", wide, wide, wide, wide}, {"y"});
  ExpectText(ImportRefusalOf(&flat), "reads rows of (3, 8, 8) as (N, 192)");
}

TEST(ImageNodes, OtherNormalizationsAreRefused) {
  const std::vector<std::vector<int64_t>> params = {{3}, {3}, {3}, {3}};
  const std::string op = "BatchNormalization";
  ExpectRefusals({"N", 3, 8, 8},
                 {{op, params, {OnnxInt("training_mode", 1)}, "is in training mode"},
                  {op, params, {OnnxFloat("epsilon", 0)}, "epsilon must be > 0, is 0"},
                  {op, {{4}, {3}, {3}, {3}}, {}, "has 3 channels, and input 1 of (4)"},
                  {"LRN", {}, {OnnxInt("size", 4)}, "size must be odd, is 4"}});
}

TEST(ImageNodes, AnLrnKeepsItsNumbers) {
  OnnxGraph graph = PictureGraph();
  graph.Add("LRN", {"x"}, {"y"}, {OnnxInt("size", 5), OnnxFloat("alpha", 2), OnnxFloat("bias", 3)});
  const LayerProto layer = LastLayerOf(&graph);
  EXPECT_EQ(layer.lrn_conf().local_size(), 5);
  EXPECT_EQ(layer.lrn_conf().alpha(), 2);
  EXPECT_EQ(layer.lrn_conf().beta(), 0.75f);
  EXPECT_EQ(layer.lrn_conf().knorm(), 3);
}

TEST(ImageNodes, OtherPadsAreRefused) {
  const std::vector<int64_t> sides = {0, 0, 1, 1, 0, 0, 1, 1}, one_side = {0, 0, 1, 1, 0, 0, 0, 0};
  ExpectRefusals(
      {"N", 3, 8, 8},
      {{"Pad", {}, {OnnxInts("pads", sides), OnnxText("mode", "edge")}, "must pad with zeros"},
       {"Pad", {}, {OnnxInts("pads", sides), OnnxFloat("value", 1)}, "must pad with zeros"},
       {"Pad", {}, {OnnxInts("pads", {1, 1})}, "has pads that do not fit its input"},
       {"Pad", {}, {OnnxInts("pads", one_side)}, "must pad opposite sides of the picture equally"},
       {"Pad", {{8}, {}}, {}, "must pad with zeros"}});
}

}  // namespace
}  // namespace singa::image_nodes
