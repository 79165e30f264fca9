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

  LayerGraph& graph() const { return state().layers; }  // the layers that exist
  using NodeInputs::state;

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

// A reader of nodes that belong to a pattern of several nodes: positions, attention, a time step.
// It is tried before the NodeReader, and returns false for a node of no such pattern.
struct PartReader {
  bool (*read)(NodeImport* node);  // throws ImportRefusal, DataError
};

using PartReaders = Registry<PartReader>;
PartReaders& OnnxPartReaders();

// SINGA_REGISTER_ONNX_PART(Slice, ReadSlicePart)
#define SINGA_REGISTER_ONNX_PART(op, read)                                                \
  [[maybe_unused]] const bool onnx_part_registered_##op = ::singa::OnnxPartReaders().Add( \
      #op, [] { return std::make_unique<::singa::PartReader>(::singa::PartReader{read}); })

// SINGA_REGISTER_ONNX_IMPORT(Relu, ReadRelu)
#define SINGA_REGISTER_ONNX_IMPORT(op, read)                                                \
  [[maybe_unused]] const bool onnx_import_registered_##op = ::singa::OnnxNodeReaders().Add( \
      #op, [] { return std::make_unique<::singa::NodeReader>(::singa::NodeReader{read}); })

}  // namespace singa
