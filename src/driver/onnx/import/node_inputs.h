// NodeInputs gives the inputs of one node of an ONNX graph, as constants or features of layers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/onnx/import/node_attributes.h"

namespace singa {

// A source of a layer on pictures. A feature (N, h, w) has one channel.
struct ImportedImage {
  LayerOutput feature;
  int64_t c = 0, h = 0, w = 0;
  int64_t pad_y = 0, pad_x = 0;  // zeros that a Pad put around it; not counted in h and w
  bool grey = false;             // the feature has no dimension of channels
};

class NodeInputs : public NodeAttributes {
 public:
  NodeInputs(int index, ImportState* state) : NodeAttributes(index, *state), state_(*state) {}

  size_t inputs() const { return node().inputs.size(); }
  bool Has(size_t i) const { return i < inputs() && !node().inputs[i].empty(); }
  ImportValue& in(size_t i) const;
  bool IsConstant(size_t i) const { return Has(i) && in(i).is_constant(); }
  // Returns whether input i has one reader.
  bool IsSoleReader(size_t i) const { return state_.values.Readers(node().inputs[i]) == 1; }

  // Return constants. Refuse the node if input i is not one of that kind.
  Sizes Integers(size_t i) const;
  std::vector<float> Floats(size_t i) const;
  ImportedParam Weight(size_t i) const;
  bool HasFloats(size_t i) const;  // whether input i is a constant of floats
  // Returns the number, if input i is a constant of one number.
  std::optional<float> Number(size_t i) const;

  // Returns input i as the feature of a layer, which is made if it does not exist.
  LayerOutput Feature(size_t i) const;
  // Returns input i as pictures. Refuses other sizes, and a reshape that has no layer. `padded`:
  // the layer can put zeros around the picture.
  ImportedImage Image(size_t i, bool padded = false) const;
  // Returns the number of units in a row of input i. Refuses constants.
  int64_t RowSize(size_t i) const { return UnitsOf(FeatureDims(i)); }
  // Returns the sizes of input i. Refuses constants.
  const Sizes& FeatureDims(size_t i) const;
  // Returns input i, a constant with a number for each unit of the last dimension. Refuses others.
  ImportedParam Bias(size_t i, int64_t units) const;
  // Returns the constant matrix in input 1.
  ImportedParam Matrix() const;

 protected:
  ImportState& state() const { return state_; }

 private:
  ImportState& state_;
};

}  // namespace singa
