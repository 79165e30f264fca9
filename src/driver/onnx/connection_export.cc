// Layers that hand values on: kDropout (which does nothing in a test), kSplit, kConcate, kSlice.
#include "driver/onnx/layer_export.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void WriteSame(OnnxLayer* layer) { layer->Alias(layer->in()[0]); }

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

SINGA_REGISTER_ONNX(kDropout, WriteSame);
SINGA_REGISTER_ONNX(kSplit, WriteSame);
SINGA_REGISTER_ONNX(kConcate, WriteConcate);
SINGA_REGISTER_ONNX(kSlice, WriteSlice);

}  // namespace
}  // namespace singa
