// Exports kRecordInput, kCSVInput, kShardData and kLMDBData as an input of the model and the
// layer's normalisation. The input takes records as stores hold them. Also exports kImagePreprocess
// and kRGBImage (mean, centre cut, scale) and kMnist (its norms).
#include <algorithm>
#include <array>
#include <charconv>

#include "driver/onnx/layer_export.h"
#include "io/reader/row_decoder.h"
#include "io/table/csv_fields.h"
#include "nn/feature/window.h"
#include "nn/input/store_settings.h"

namespace singa {
namespace {

// Returns the number with enough digits to read the same float back.
std::string FloatText(float value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

std::string ListText(const std::vector<float>& values) {
  std::string text;
  for (float value : values) text += StrCat(text.empty() ? "" : ", ", FloatText(value));
  return text;
}

// Returns a constant: one number, or if a file gives them, one for each number of a record.
std::string Operand(const std::string& what, float value, const std::vector<float>& values,
                    OnnxLayer* layer) {
  if (values.empty()) return layer->Number(what, value);
  return layer->graph().Floats(layer->Inner(what), layer->row_sizes(), values);
}

// Returns the constant of a list of channels, which fits records of any size: (c, 1, 1), or (1, 1)
// for records of two sizes.
std::string ChannelOperand(const std::string& what, const std::vector<float>& values,
                           OnnxLayer* layer) {
  std::vector<int64_t> sizes = layer->row_sizes();
  std::fill(sizes.begin(), sizes.end(), 1);
  sizes[0] = std::ssize(values);
  return layer->graph().Floats(layer->Inner(what), sizes, values);
}

void DescribeInput(const Normalisation& norm, OnnxGraph* graph) {
  graph->Describe("input_order",
                  "rows of records as a store holds them (pixels: 0 to 255), each "
                  "channel by channel: N, channels, height, width");
  const bool channels = !norm.channel_mean.empty() || !norm.channel_std.empty();
  graph->Describe("preprocessing",
                  channels ? "in the graph: ((x - mean) / std - channel_mean) / channel_std"
                           : "in the graph: (x - mean) / std");
  if (norm.mean_file.empty())
    graph->Describe("mean_value", FloatText(norm.mean_value));
  else
    graph->Describe("mean_file", norm.mean_file);
  if (norm.std_file.empty())
    graph->Describe("std_value", FloatText(norm.std_value));
  else
    graph->Describe("std_file", norm.std_file);
  if (!norm.channel_mean.empty()) graph->Describe("channel_mean", ListText(norm.channel_mean));
  if (!norm.channel_std.empty()) graph->Describe("channel_std", ListText(norm.channel_std));
}

void WriteStore(OnnxLayer* layer) {
  const StoreSettings settings = SettingsOf(layer->conf());
  const Normalisation norm = NormalisationOf(settings.conf);
  StoreOptions options = {.format = settings.format,
                          .separator = SeparatorsIn(settings.conf.separator())};
  // One dimension keeps the order of the files' numbers.
  const RowDecoder decoder({layer->out_shape().size(1)},
                           {.mean_file = norm.mean_file, .std_file = norm.std_file},
                           settings.backend, options);
  DescribeInput(norm, &layer->graph());
  const std::string input = layer->node().full_name;
  layer->graph().AddInput(input, BatchDims(layer->out_shape()));
  std::string x = input;
  if (!decoder.mean().empty() || norm.mean_value != 0)
    x = layer->Step("Sub", {x, Operand("mean", norm.mean_value, decoder.mean(), layer)});
  if (!decoder.std().empty() || norm.std_value != 1)
    x = layer->Step("Div", {x, Operand("std", norm.std_value, decoder.std(), layer)});
  if (!norm.channel_mean.empty())
    x = layer->Step("Sub", {x, ChannelOperand("channel_mean", norm.channel_mean, layer)});
  if (!norm.channel_std.empty())
    x = layer->Step("Div", {x, ChannelOperand("channel_std", norm.channel_std, layer)});
  layer->Alias(x);
}

std::string CutCentre(const std::string& x, OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const Shape &in = layer->in_shape(), &out = layer->out_shape();
  const int rows = in.dims() - 2, columns = in.dims() - 1;
  const int64_t top = (in[rows] - out[rows]) / 2, left = (in[columns] - out[columns]) / 2;
  graph.Describe("crop", StrCat("the centre, ", out[rows], " x ", out[columns]));
  return layer->Step("Slice",
                     {x, graph.Ints(layer->Inner("begin"), {top, left}),
                      graph.Ints(layer->Inner("end"), {top + out[rows], left + out[columns]}),
                      graph.Ints(layer->Inner("axes"), {rows, columns})});
}

void WriteImagePreprocess(OnnxLayer* layer) {
  const RGBImageProto& conf = layer->conf().rgbimage_conf();
  OnnxGraph& graph = layer->graph();
  std::string x = layer->in()[0];
  if (!conf.meanfile().empty()) {
    const RowDecoder decoder({layer->in_shape().size(1)}, {.mean_file = conf.meanfile()}, "kvfile",
                             {});
    x = layer->Step("Sub", {x, graph.Floats(layer->Inner("mean"),
                                            SizesBehindRows(layer->in_shape()), decoder.mean())});
    graph.Describe("meanfile", conf.meanfile());
  }
  if (!(layer->in_shape() == layer->out_shape())) x = CutCentre(x, layer);
  if (conf.scale() != 1) {
    x = layer->Step("Mul", {x, layer->Number("scale", conf.scale())});
    graph.Describe("scale", FloatText(conf.scale()));
  }
  layer->Alias(x);
}

void WriteMnist(OnnxLayer* layer) {
  const MnistProto& conf = layer->conf().mnist_conf();
  std::string x = layer->in()[0];
  if (conf.norm_a() != 1) x = layer->Step("Div", {x, layer->Number("norm_a", conf.norm_a())});
  if (conf.norm_b() != 0) x = layer->Step("Sub", {x, layer->Number("norm_b", conf.norm_b())});
  layer->Alias(layer->Reshape(x, layer->row_sizes()));
}

SINGA_REGISTER_ONNX(kRecordInput, WriteStore);
SINGA_REGISTER_ONNX(kCSVInput, WriteStore);
SINGA_REGISTER_ONNX(kShardData, WriteStore);
SINGA_REGISTER_ONNX(kLMDBData, WriteStore);
SINGA_REGISTER_ONNX(kImagePreprocess, WriteImagePreprocess);
SINGA_REGISTER_ONNX(kRGBImage, WriteImagePreprocess);
SINGA_REGISTER_ONNX(kMnist, WriteMnist);

}  // namespace
}  // namespace singa
