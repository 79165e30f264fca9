// NodeImport turns one node of an ONNX graph into layers, or into a part of a layer. Each operator
// has a function in a file of this folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/onnx/import/graph_import.h"
#include "singa/base/registry.h"
#include "singa/base/str_cat.h"

namespace singa {

inline constexpr int64_t kMostSizes = 1024;  // no list of sizes is longer

// A source of a layer on pictures. A feature (N, h, w) has one channel.
struct ImportedImage {
  LayerOutput feature;
  int64_t c = 0, h = 0, w = 0;
  int64_t pad_y = 0, pad_x = 0;  // zeros that a Pad put around it; not counted in h and w
  bool grey = false;             // the feature has no dimension of channels
};

class NodeImport {
 public:
  NodeImport(int index, GraphImport* graph) : index_(index), graph_(*graph) {}

  const OnnxNode& node() const { return graph_.model().nodes[index_]; }
  GraphImport& graph() const { return graph_; }
  int index() const { return index_; }
  int64_t opset() const { return graph_.model().opset; }
  // Says why the node has no layer.
  [[noreturn]] void Refuse(const std::string& why) const { graph_.Refuse(index_, why); }

  // Return an attribute. Refuse the node if it is of another type, not finite or too long.
  int64_t Int(const std::string& name, int64_t missing) const;
  float Float(const std::string& name, float missing) const;
  std::string Text(const std::string& name, const std::string& missing) const;
  Sizes Ints(const std::string& name) const;  // none if it is missing

  size_t inputs() const { return node().inputs.size(); }
  bool Has(size_t i) const { return i < inputs() && !node().inputs[i].empty(); }
  ImportValue& in(size_t i) const;
  bool IsConstant(size_t i) const { return Has(i) && in(i).is_constant(); }
  // Returns whether only this node reads input i, once.
  bool IsSoleReader(size_t i) const { return graph_.Readers(node().inputs[i]) == 1; }

  // Return constants. Refuse the node if input i is not one of that kind.
  Sizes Integers(size_t i) const;
  std::vector<float> Floats(size_t i) const;
  ImportedParam Weight(size_t i) const;
  // Returns the number, if input i is a constant of one number.
  std::optional<float> Number(size_t i) const;

  // Returns input i as the feature of a layer, which is made if it does not exist.
  LayerOutput Feature(size_t i) const;
  // Returns input i as pictures. Refuses other sizes, and a reshape that has no layer. `padded`:
  // the layer can put zeros around the picture.
  ImportedImage Image(size_t i, bool padded = false) const;
  // Returns the units of a row of input i. Refuses constants.
  int64_t RowSize(size_t i) const { return ProductOf(SizesFrom(FeatureDims(i), 1)); }
  // Returns the sizes of input i. Refuses constants.
  const Sizes& FeatureDims(size_t i) const;
  // Returns `axis`, which may be negative, as a dimension of input i.
  int64_t Axis(int64_t axis, const Sizes& dims) const;

  // Adds a layer that gives this node's first output. The reference is valid until the next call.
  ImportedLayer& Add(LayerType type, const std::vector<LayerOutput>& sources, const Sizes& shape);
  // Sets output 0: the feature of the layer that Add made last, with these sizes.
  void Give(const Sizes& dims);
  void Give(ImportValue value, size_t output = 0);
  // Sets output 0: input 0 with these sizes.
  void GiveSame(const Sizes& dims);

 private:
  const OnnxAttribute* Find(const std::string& name) const { return node().Find(name); }

  const int index_;
  GraphImport& graph_;
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
