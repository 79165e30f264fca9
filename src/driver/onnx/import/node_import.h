// NodeImport turns one node of an ONNX graph into layers, or into a part of a layer. Each operator
// has a function in a file of this folder.
#pragma once

#include <memory>
#include <vector>

#include "driver/onnx/import/node_inputs.h"
#include "singa/base/registry.h"

namespace singa {

class NodeImport : public NodeInputs {
 public:
  NodeImport(int index, ImportState* state) : NodeInputs(index, state) {}

  // The layers that exist, and the number of rows that the file says, or -1.
  LayerGraph& graph() const { return state().layers; }
  int64_t fixed_batch() const { return state().fixed_batch; }

  // Adds a layer that gives this node's first output. The reference is valid until the next call.
  ImportedLayer& Add(LayerType type, const std::vector<LayerOutput>& sources, const Sizes& shape);
  // Sets output 0: the feature of the layer that Add made last, with these sizes.
  void Give(const Sizes& dims);
  void Give(ImportValue value, size_t output = 0);
  // Sets output 0: input 0 with these sizes.
  void GiveSame(const Sizes& dims);
};

struct NodeReader {
  void (*read)(NodeImport* node);  // throws ImportRefusal, DataError
};

// Readers by operator.
using NodeReaders = Registry<NodeReader>;
NodeReaders& OnnxNodeReaders();

// SINGA_REGISTER_ONNX_IMPORT(Relu, ReadRelu)
#define SINGA_REGISTER_ONNX_IMPORT(op, read)                                                \
  [[maybe_unused]] const bool onnx_import_registered_##op = ::singa::OnnxNodeReaders().Add( \
      #op, [] { return std::make_unique<::singa::NodeReader>(::singa::NodeReader{read}); })

}  // namespace singa
