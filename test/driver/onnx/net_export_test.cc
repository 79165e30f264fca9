// Tests the content of exported models. test/system/onnx_outputs.py tests their results.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "driver/onnx/layer_export.h"
#include "driver/onnx/net_export.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Returns a layer of a NetProto in text form.
std::string LayerText(const std::string& name, const std::string& type, const std::string& sources,
                      const std::string& settings = "") {
  return StrCat("layer { name: '", name, "' type: ", type, " ", sources, " ", settings, " } ");
}

std::string Data(const std::string& name, const std::string& settings = "") {
  return LayerText(
      name, "kCSVInput", "",
      StrCat("store_conf { path: 'none' batchsize: 7 shape: 3 shape: 6 shape: 5 ", settings, " }"));
}

std::string From(const std::string& source) { return StrCat("srclayers: '", source, "'"); }

std::string Dense(const std::string& name, const std::string& source, int outputs) {
  return LayerText(name, "kInnerProduct", From(source),
                   StrCat("innerproduct_conf { num_output: ", outputs,
                          " bias_term: false } param { name: 'w_", name, "' }"));
}

const std::string kLoss = LayerText("loss", "kSoftmaxLoss", From("fc") + From("data"));

onnx::ModelProto Export(const std::string& text, const std::string& layer = "") {
  NetProto conf;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &conf));
  ParamTable params;
  const Net net = NetToExport(conf, &params);
  for (const auto& param : params.params()) param->data = Tensor::Allocate(param->shape());
  onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(ExportNet(net, layer).Serialize("net")));
  return model;
}

// Returns the error that refuses the export.
std::string ExportRefusal(const std::string& text, const std::string& layer, ExitCode code) {
  try {
    Export(text, layer);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "";
}

std::string Ops(const onnx::ModelProto& model) {
  std::string ops;
  for (const auto& node : model.graph().node()) ops += (ops.empty() ? "" : " ") + node.op_type();
  return ops;
}

TEST(OnnxExport, HasFormsOfLayersThatExistOnly) {
  EXPECT_GT(OnnxExports().Names().size(), 20u);
  for (const std::string& name : OnnxExports().Names()) EXPECT_TRUE(Layers().Has(name)) << name;
}

TEST(OnnxExport, GivesScoresAndTheirSoftmaxUnderTheirLayersNames) {
  const auto model = Export(Data("data") + Dense("fc", "data", 4) + kLoss);
  EXPECT_EQ(model.opset_import(0).version(), 17);
  EXPECT_EQ(Ops(model), "Flatten Gemm Softmax");
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "data");
  const auto& shape = model.graph().input(0).type().tensor_type().shape();
  EXPECT_EQ(shape.dim(0).dim_param(), "N");
  EXPECT_EQ(shape.dim(3).dim_value(), 5);
  ASSERT_EQ(model.graph().output_size(), 2);
  EXPECT_EQ(model.graph().output(0).name(), "fc");
  EXPECT_EQ(model.graph().output(1).name(), "loss");
}

TEST(OnnxExport, GivesScoresThatAnActivationMakes) {
  const auto model = Export(Data("data") + LayerText("bn", "kBM", From("data")) +
                            LayerText("relu", "kReLU", From("bn")) +
                            LayerText("loss", "kEuclideanLoss", From("relu") + From("data")));
  EXPECT_EQ(Ops(model), "BatchNormalization Relu");
  ASSERT_EQ(model.graph().output_size(), 1);
  EXPECT_EQ(model.graph().output(0).name(), "relu");
}

TEST(OnnxExport, TakesDataWithoutTargets) {
  const std::string text =
      Data("data", "num_targets: 2") + Dense("fc", "data", 2) + Dense("other", "data:1", 2);
  const auto model =
      Export(text + LayerText("loss", "kSigmoidCrossEntropyLoss", From("fc") + From("data:1")));
  EXPECT_EQ(Ops(model), "Flatten Gemm Sigmoid");
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "data");
  ASSERT_EQ(model.graph().output_size(), 2);
  EXPECT_EQ(model.graph().output(1).name(), "loss");
  const std::string refusal = ExportRefusal(text, "other", kExitConfig);
  EXPECT_NE(refusal.find("layer[other]"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("reads the targets of layer \"data\""), std::string::npos) << refusal;
}

TEST(OnnxExport, LeavesOutWhatTheOutputDoesNotDependOn) {
  const std::string text = Data("data") + Dense("fc", "data", 4) + Dense("other", "fc", 9) + kLoss;
  EXPECT_EQ(Ops(Export(text)), "Flatten Gemm Softmax");
  EXPECT_EQ(Ops(Export(text, "fc")), "Flatten Gemm");
  EXPECT_EQ(Export(text).graph().initializer_size(), 1);
}

TEST(OnnxExport, MakesNoInputOfALayerThatIsReadForLabelsAlone) {
  const auto model = Export(Data("image") + Data("data") + Dense("fc", "image", 4) + kLoss);
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "image");
}

TEST(OnnxExport, NamesAnOutputAfterItsLayerWhereThatHandsAValueOn) {
  const auto model = Export(
      Data("data") + Dense("fc", "data", 4) + LayerText("drop", "kDropout", From("fc")), "drop");
  EXPECT_EQ(Ops(model), "Flatten Gemm Identity");
  EXPECT_EQ(model.graph().output(0).name(), "drop");
}

TEST(OnnxExport, GivesEachValueANameOfItsOwn) {
  const std::string weight =
      "innerproduct_conf { num_output: 4 bias_term: false } param { name: 'fc' }";
  const auto model =
      Export(Data("data") + LayerText("fc", "kInnerProduct", From("data"), weight) + kLoss);
  EXPECT_EQ(model.graph().initializer(0).name(), "fc#2");
}

TEST(OnnxExport, AConvolutionWithoutParamBlocksHasItsBias) {
  const auto model =
      Export(Data("data") + LayerText("conv", "kConvolution", From("data"),
                                      "convolution_conf { num_filters: 2 kernel: 3 }"),
             "conv");
  EXPECT_EQ(model.graph().node(0).input_size(), 3);
  EXPECT_EQ(model.graph().initializer_size(), 2);
}

TEST(OnnxExport, WritesPadsOfBothEndsRowsFirst) {
  const auto model =
      Export(Data("data") +
                 LayerText("pool", "kPooling", From("data"),
                           "pooling_conf { kernel: 3 pad_x: 2 pad_y: 1 stride_x: 3 stride_y: 2 }"),
             "pool");
  const auto& attributes = model.graph().node(0).attribute();
  EXPECT_EQ(attributes[1].name(), "strides");
  EXPECT_EQ(attributes[1].ints(0), 2);
  EXPECT_EQ(attributes[2].name(), "pads");
  const auto& pads = attributes[2].ints();
  EXPECT_EQ(std::vector<int64_t>(pads.begin(), pads.end()), (std::vector<int64_t>{1, 2, 1, 2}));
}

TEST(OnnxExport, WritesWhatARoundedUpWindowLacksAsPadding) {
  const auto nodes = [](const std::string& settings) {
    return Export(Data("data") + LayerText("pool", "kPooling", From("data"),
                                           "pooling_conf { ceil_mode: true " + settings + " }"),
                  "pool");
  };
  // Data's images have 6 x 5 pixels.
  const auto max = nodes("kernel: 3 stride: 2");
  EXPECT_EQ(Ops(max), "MaxPool");
  const auto& pads = max.graph().node(0).attribute(2).ints();
  EXPECT_EQ(std::vector<int64_t>(pads.begin(), pads.end()), (std::vector<int64_t>{0, 0, 1, 0}));
  EXPECT_EQ(Ops(nodes("pool: AVG kernel: 3 stride: 2")), "Pad AveragePool");
  EXPECT_EQ(Ops(nodes("pool: AVG kernel_y: 2 kernel_x: 3 stride: 2")), "AveragePool");
}

TEST(OnnxExport, WritesGroupsAndDilations) {
  const std::string settings =
      "convolution_conf { num_filters: 6 group: 3 dilation_x: 2 kernel_y: 2 } param {} param {}";
  const auto up =
      Export(Data("data") + LayerText("up", "kDeconvolution", From("data"), settings), "up");
  EXPECT_EQ(Ops(up), "ConvTranspose");
  const auto& dims = up.graph().initializer(0).dims();
  EXPECT_EQ(std::vector<int64_t>(dims.begin(), dims.end()), (std::vector<int64_t>{3, 2, 2, 3}));
  const auto& attributes = up.graph().node(0).attribute();
  EXPECT_EQ(attributes[3].name(), "dilations");
  EXPECT_EQ(attributes[3].ints(0), 1);
  EXPECT_EQ(attributes[3].ints(1), 2);
  EXPECT_EQ(attributes[4].name(), "group");
  EXPECT_EQ(attributes[4].i(), 3);
}

TEST(OnnxExport, HasNodesOfTheirOwnForTheWholePicture) {
  const auto ops = [](const std::string& pool) {
    return Ops(Export(
        Data("data") + LayerText("pool", "kPooling", From("data"),
                                 StrCat("pooling_conf { global_pooling: true pool: ", pool, " }")),
        "pool"));
  };
  EXPECT_EQ(ops("MAX"), "GlobalMaxPool");
  EXPECT_EQ(ops("AVG"), "GlobalAveragePool");
}

TEST(OnnxExport, TellsThePreprocessing) {
  const auto model =
      Export(Data("data", "mean_value: 0.1 std_value: 255") + Dense("fc", "data", 4) + kLoss);
  std::map<std::string, std::string> told;
  for (const auto& entry : model.metadata_props()) told[entry.key()] = entry.value();
  EXPECT_EQ(told["mean_value"], "0.1");
  EXPECT_EQ(told["std_value"], "255");
  EXPECT_EQ(told["classes"], "4");
  EXPECT_EQ(Ops(model), "Sub Div Flatten Gemm Softmax");
}

TEST(OnnxExport, NamesTheLayerThatHasNoForm) {
  const std::string text = Data("data") + LayerText("copy", "kDummy", From("data"));
  EXPECT_NE(ExportRefusal(text, "copy", kExitConfig)
                .find("neuralnet.layer[copy].type: kDummy has no form in ONNX; these have: kAcc"),
            std::string::npos);
}

TEST(OnnxExport, RefusesToCutOrJoinRows) {
  EXPECT_NE(
      ExportRefusal(Data("data") + LayerText("join", "kConcate", From("data")), "join", kExitConfig)
          .find("neuralnet.layer[join].concate_conf.concate_dim: must be > 0"),
      std::string::npos);
  const std::string cut = "slice_conf { num_slices: 2 }";
  EXPECT_NE(ExportRefusal(Data("data") + LayerText("cut", "kSlice", From("data"), cut), "cut",
                          kExitConfig)
                .find("neuralnet.layer[cut].slice_conf.slice_dim: must be > 0"),
            std::string::npos);
}

TEST(OnnxExport, RefusesRecordsOfTimeSteps) {
  const std::string text = Data("data") + Dense("fc", "data", 4) + "unroll_len: 2";
  EXPECT_NE(ExportRefusal(text, "fc", kExitConfig)
                .find("neuralnet.layer[data].unroll_len: must be 1 for an input layer"),
            std::string::npos);
}

TEST(OnnxExport, RefusesTwoOutputsOfOneName) {
  const std::string text =
      Data("data") +
      LayerText("x", "kSlice", From("data"), "slice_conf { slice_dim: 1 num_slices: 2 }") +
      LayerText("x:0", "kReLU", From("data"));
  EXPECT_NE(ExportRefusal(text, "x", kExitConfig).find("two outputs would be called \"x:0\""),
            std::string::npos);
}

TEST(OnnxExport, RefusesALayerThatIsNotThere) {
  const std::string text = Data("data") + Dense("dense", "data", 4);
  EXPECT_NE(ExportRefusal(text, "dence", kExitUsage).find("did you mean \"dense\"?"),
            std::string::npos);
  EXPECT_NE(ExportRefusal(text, "data", kExitUsage).find("is an input layer"), std::string::npos);
}

TEST(OnnxExport, NeedsALayerWhereThereIsNotOneLoss) {
  EXPECT_NE(ExportRefusal(Data("data"), "", kExitUsage).find("has no loss"), std::string::npos);
  const std::string second = LayerText("loss2", "kSoftmaxLoss", From("fc") + From("data"));
  EXPECT_NE(ExportRefusal(Data("data") + Dense("fc", "data", 4) + kLoss + second, "", kExitUsage)
                .find("has several losses (loss, loss2)"),
            std::string::npos);
}

}  // namespace
}  // namespace singa
