// Tests which layers that cut pictures draw the same places and flips.
#include "nn/input/pair_cuts.h"

#include "nn/input/image_preprocess.h"
#include "support/layer_test.h"
#include "support/net_test.h"

namespace singa {
namespace {

std::string Pictures(const std::string& name) {
  return StrCat("layer { name: '", name,
                "' type: kRecordInput store_conf { backend: 'synthetic' shape: 3 shape: 6 shape: 6 "
                "batchsize: 4 synthetic_conf { records: 20 classes: 3 } } }\n");
}

std::string Cutting(const std::string& name, const std::string& source,
                    const std::string& type = "kImagePreprocess") {
  return StrCat("layer { name: '", name, "' type: ", type, " srclayers: '", source,
                "' rgbimage_conf { cropsize: 4 mirror: true } }\n");
}

// Returns name and stream of each layer that cuts.
std::map<std::string, std::string> Streams(const std::string& text) {
  NetOptions options;
  options.phase = kTrain;
  ParamTable params;
  const Net net = BuildNet(ParseNet(text), options, &params);
  std::map<std::string, std::string> streams;
  for (const NetNode& node : net.nodes())
    if (const CuttingLayer* layer = CuttingLayerOf(node.conf, node.layer.get()))
      streams[node.name] = layer->stream();
  return streams;
}

using Expected = std::map<std::string, std::string>;

TEST(PairCuts, OneLayerDrawsByItsOwnName) {
  EXPECT_EQ(Streams(Pictures("x") + Cutting("c", "x")), (Expected{{"c", "c"}}));
}

TEST(PairCuts, LayersOfTwoInputsDrawAsTheFirst) {
  EXPECT_EQ(Streams(Pictures("x") + Pictures("mask") + Cutting("c", "x") +
                    Cutting("d", "mask", "kRGBImage")),
            (Expected{{"c", "c"}, {"d", "c"}}));
}

TEST(PairCuts, LayersOfOneInputDrawEachByItsName) {
  EXPECT_EQ(Streams(Pictures("x") + Cutting("c", "x") + Cutting("d", "x") + Cutting("e", "d")),
            (Expected{{"c", "c"}, {"d", "d"}, {"e", "e"}}));
}

TEST(PairCuts, TheSecondOfEachInputDrawAlike) {
  EXPECT_EQ(Streams(Pictures("x") + Pictures("mask") + Cutting("c", "x") + Cutting("d", "c") +
                    Cutting("m", "mask") + Cutting("n", "m")),
            (Expected{{"c", "c"}, {"d", "d"}, {"m", "c"}, {"n", "d"}}));
}

}  // namespace
}  // namespace singa
