// Exports layers that pass values on or join them: kDropout (which does nothing in a test), kSplit,
// kEltwise, kConcate, kSlice, kTimeSteps.
#include "driver/onnx/layer_export.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void WriteSame(OnnxLayer* layer) { layer->Alias(layer->in()[0]); }

void WriteEltwise(OnnxLayer* layer) {
  const EltwiseProto& set = layer->conf().eltwise_conf();
  OnnxNames sources = layer->in();
  const Shape& last = layer->node().in.back()->data.shape();
  if (last.dims() < layer->out_shape().dims())  // one number for each channel of images
    sources.back() = layer->Reshape(sources.back(), {last[1], 1, 1});
  for (size_t i = 0; i < sources.size(); ++i)
    if (const int k = static_cast<int>(i); k < set.coeff_size() && set.coeff(k) != 1)
      sources[i] = layer->Step("Mul", {sources[i], layer->Number(StrCat("c", i), set.coeff(k))});
  const char* op = set.operation() == EltwiseProto::SUM    ? "Add"
                   : set.operation() == EltwiseProto::PROD ? "Mul"
                                                           : "Max";
  std::string before = sources[0];
  for (size_t i = 1; i + 1 < sources.size(); ++i) before = layer->Step(op, {before, sources[i]});
  layer->Give(op, {before, sources.back()});
}

void RequireColumns(int dim, const char* field) {
  if (dim == 0)
    throw ConfigError(field, "must be > 0 in a net that is exported: its number of rows is free");
}

void WriteConcate(OnnxLayer* layer) {
  const int dim = layer->conf().concate_conf().concate_dim();
  RequireColumns(dim, "concate_conf.concate_dim");
  layer->Give("Concat", layer->in(), {OnnxInt("axis", dim)});
}

void WriteSlice(OnnxLayer* layer) {
  const int dim = layer->conf().slice_conf().slice_dim();
  RequireColumns(dim, "slice_conf.slice_dim");
  std::vector<int64_t> sizes;
  for (const Port* port : layer->node().out) sizes.push_back(port->data.shape()[dim]);
  layer->GiveAll("Split", {layer->in()[0], layer->graph().Ints(layer->Inner("sizes"), sizes)},
                 {OnnxInt("axis", dim)});
}

// Turns (N, steps, units) or (N, steps) into rows, step by step. Leaves out steps ahead, which only
// labels read.
void WriteTimeSteps(OnnxLayer* layer) {
  OnnxGraph& graph = layer->graph();
  const Shape& records = layer->in_shape();
  const int64_t steps = StepsOf(layer->node()), units = layer->out_shape()[1];
  std::string x = layer->in()[0];
  if (steps < records[1])
    x = layer->Step(
        "Slice", {x, graph.Ints(layer->Inner("begin"), {0}),
                  graph.Ints(layer->Inner("end"), {steps}), graph.Ints(layer->Inner("axes"), {1})});
  x = layer->Step("Transpose", {x},
                  {OnnxInts("perm", records.dims() == 3 ? std::vector<int64_t>{1, 0, 2}
                                                        : std::vector<int64_t>{1, 0})});
  graph.Describe("time_steps", StrCat(steps));
  layer->Alias(layer->Reshape(x, {units}));
}

SINGA_REGISTER_ONNX(kDropout, WriteSame);
SINGA_REGISTER_ONNX(kSplit, WriteSame);
SINGA_REGISTER_ONNX(kEltwise, WriteEltwise);
SINGA_REGISTER_ONNX(kConcate, WriteConcate);
SINGA_REGISTER_ONNX(kSlice, WriteSlice);
SINGA_REGISTER_ONNX(kTimeSteps, WriteTimeSteps);

}  // namespace
}  // namespace singa
