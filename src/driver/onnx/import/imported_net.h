// ImportedNet holds the layers that an import makes. ImportValue describes a value of the ONNX
// graph during the import.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/onnx/import/onnx_model.h"
#include "driver/onnx/import/sizes.h"
#include "driver/onnx/import/unit_view.h"
#include "singa/proto/layer.pb.h"

namespace singa {

inline constexpr int64_t kMostSteps = 50000;  // time steps of an imported net

struct LayerOutput {
  int layer = -1;
  int output = 0;
  bool last = false;  // only the last time step
  bool operator==(const LayerOutput&) const = default;
};

// Values of a param: numbers of a constant of the graph, with the sizes that the layer sees.
struct ImportedParam {
  const OnnxTensor* tensor = nullptr;
  Sizes dims = {};
  int64_t first = 0;        // index of the first value in the constant
  int64_t added = -1;       // index of the first of as many values that are added; -1: none
  bool transposed = false;  // the constant is a matrix (columns, rows)
  std::vector<const OnnxTensor*> behind = {};  // constants whose values follow those of `tensor`
  bool operator==(const ImportedParam&) const = default;
};

struct ImportedLayer {
  LayerProto conf;    // type and settings; names and sources are set last
  std::string value;  // the value of the graph that it gives
  int node = -1;      // the node that gives the value; -1: the graph's input
  std::vector<LayerOutput> sources = {};
  std::vector<Sizes> shapes = {};  // of a row of each output
  int steps = 1;                   // time steps
  bool logarithm = false;          // a kSoftmax of which the node gives the logarithm
  std::vector<ImportedParam> params = {};
};

struct ImportedNet {
  std::vector<ImportedLayer> layers;  // layers[0]: the input layer
  std::vector<LayerOutput> outputs;
  int64_t vocabulary = 0;  // characters of the text that the input layer reads
};

// A value is a constant, a feature of a layer, or a step: an intermediate value of several nodes
// that become one layer. x: the feature that a step reads.
enum class ValueForm : uint8_t {
  kUnknown,     // its node was refused
  kConstant,    // `tensor` or `integers`
  kFeature,     // source
  kScaled,      // factor x
  kPlusThree,   // x + 3
  kErf,         // erf(x / sqrt(2))
  kErfPlusOne,  // factor (1 + erf(x / sqrt(2)))
  kGelu,        // factor gelu(x)
  kSigmoid,     // sigmoid(x)
  kTanh,        // tanh(factor x)
  kMatrix,      // x times `weight`
  kJoin,        // `terms`, joined by `operation`
  kPadded,      // x with zeros around the picture
  // Values of nets with time steps:
  kIndices,    // x as indices
  kPadding,    // for each index of x, whether it is padding
  kFilled,     // all numbers are `factor`
  kFuture,     // -infinity where a step would read a later one, else 0
  kPositions,  // a row of the table `weight` for each time step
  kState,      // a state that goes from one run of the model to the next
  kView,       // factor x, in the order of `view`
  kScores,     // factor q k, a number for each pair of time steps
  kShares,     // the softmax of such scores
  kAttended,   // the shares times the values of an attention, in the order of `view`
  kProjected,  // a kAttended times the matrix `weight`
};

// The queries, keys and values of an attention, and its form. `first`: the first unit of a part.
struct AttentionSources {
  struct Part {
    LayerOutput feature = {};
    int64_t first = 0;
  };
  Part q = {}, k = {}, v = {};
  ViewDim lead = {};  // sequences and heads
  int64_t heads = 1, width = 1;
  bool causal = false;
};

struct ImportValue {
  ValueForm form = ValueForm::kUnknown;
  Sizes dims = {};  // in the graph; of a feature dims[0] is kFreeBatch
  std::string name = {};
  int node = -1;

  const OnnxTensor* tensor = nullptr;
  std::optional<Sizes> integers = {};

  LayerOutput source = {};  // x; of a kFeature the feature itself
  float factor = 1;
  ImportedParam weight = {};
  EltwiseProto::Operation operation = EltwiseProto::SUM;
  std::vector<LayerOutput> terms = {};
  std::vector<float> coefficients = {};
  int64_t pad_y = 0, pad_x = 0;
  bool is_next_state = false;  // the feature is also the first state of the next run
  UnitView view = {};
  std::string refusal = {};  // of a layer that reads a kView; "": a text for all
  AttentionSources attention = {};

  bool is_constant() const { return form == ValueForm::kConstant; }
};

}  // namespace singa
