// ImportedNet holds the layers that an import makes. ImportValue describes a value of the ONNX
// graph during the import.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "driver/onnx/import/onnx_model.h"
#include "driver/onnx/import/sizes.h"
#include "singa/proto/layer.pb.h"

namespace singa {

struct LayerOutput {
  int layer = -1;
  int output = 0;
  bool operator==(const LayerOutput&) const = default;
};

// A constant of the graph, with the sizes that its reader sees.
struct ImportedParam {
  const OnnxTensor* tensor = nullptr;
  Sizes dims = {};
};

struct ImportedLayer {
  LayerProto conf;    // type and settings; names and sources are set last
  std::string value;  // the value of the graph that it gives
  int node = -1;      // the node that gives the value; -1: the graph's input
  std::vector<LayerOutput> sources = {};
  std::vector<Sizes> shapes = {};  // of a row of each output
  std::vector<ImportedParam> params = {};
};

struct ImportedNet {
  std::vector<ImportedLayer> layers;  // layers[0]: the input layer
  std::vector<LayerOutput> outputs;
};

// A value is a constant, a feature of a layer, or a step: a part of a layer that several nodes make
// together. x: the feature that a step reads.
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

  bool is_constant() const { return form == ValueForm::kConstant; }
};

}  // namespace singa
