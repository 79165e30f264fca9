#include "driver/onnx/import/node_import.h"

#include <cmath>
#include <iterator>

#include "io/checkpoint/json_text.h"

namespace singa {

NodeReaders& OnnxNodeReaders() {
  static NodeReaders readers("ONNX operator");
  return readers;
}

int64_t NodeImport::Int(const std::string& name, int64_t missing) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return missing;
  if (!attribute->integer) Refuse(StrCat("attribute ", name, " is no integer"));
  return *attribute->integer;
}

float NodeImport::Float(const std::string& name, float missing) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return missing;
  if (!attribute->number) Refuse(StrCat("attribute ", name, " is no float"));
  if (!std::isfinite(*attribute->number))
    Refuse(StrCat("attribute ", name, " is ", *attribute->number, ", which is not finite"));
  return *attribute->number;
}

std::string NodeImport::Text(const std::string& name, const std::string& missing) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return missing;
  if (!attribute->text) Refuse(StrCat("attribute ", name, " is no text"));
  return *attribute->text;
}

Sizes NodeImport::Ints(const std::string& name) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return {};
  if (std::ssize(attribute->integers) > kMostSizes)
    Refuse(StrCat("attribute ", name, " has ", attribute->integers.size(), " integers"));
  return attribute->integers;
}

ImportValue& NodeImport::in(size_t i) const {
  if (!Has(i)) Refuse(StrCat("input ", i, " is missing"));
  return graph_.Value(node().inputs[i]);
}

Sizes NodeImport::Integers(size_t i) const {
  const ImportValue& value = in(i);
  const bool integers =
      value.is_constant() && (!value.tensor || TensorValues::HasIntegers(*value.tensor));
  if (!integers) Refuse(StrCat("input ", Quote(value.name), " must be a constant of integers"));
  if (value.tensor && value.tensor->size() > kMostSizes)
    Refuse(StrCat("input ", Quote(value.name), " has ", value.tensor->size(),
                  " integers; a list of sizes has at most ", kMostSizes));
  return value.integers ? *value.integers : graph_.tensors().Integers(*value.tensor);
}

std::vector<float> NodeImport::Floats(size_t i) const {
  const OnnxTensor& tensor = *Weight(i).tensor;
  if (!TensorValues::HasFloats(tensor))
    Refuse(StrCat("input ", Quote(in(i).name), " must be a constant of floats"));
  return graph_.tensors().Floats(tensor);
}

ImportedParam NodeImport::Weight(size_t i) const {
  const ImportValue& value = in(i);
  if (!value.is_constant() || !value.tensor)
    Refuse(StrCat("input ", Quote(value.name), " must be a constant of the file"));
  return {value.tensor, value.dims};
}

std::optional<float> NodeImport::Number(size_t i) const {
  if (!IsConstant(i) || !in(i).tensor || in(i).tensor->size() != 1) return {};
  return Floats(i)[0];
}

LayerOutput NodeImport::Feature(size_t i) const {
  FeatureDims(i);
  return graph_.FeatureOf(&in(i));
}

const Sizes& NodeImport::FeatureDims(size_t i) const {
  const ImportValue& value = in(i);
  if (value.is_constant())
    Refuse(StrCat("no layer adds, multiplies or reads a constant in this place: ",
                  Quote(value.name), " ", SizesText(value.dims)));
  return value.dims;
}

ImportedImage NodeImport::Image(size_t i, bool padded) const {
  ImportedImage image;
  const Sizes& dims = FeatureDims(i);
  if (dims.size() != 4)
    Refuse(StrCat("reads ", SizesText(dims), "; only pictures, (N, c, h, w), have a layer"));
  if (padded && in(i).form == ValueForm::kPadded) {
    image.pad_y = in(i).pad_y;
    image.pad_x = in(i).pad_x;
    image.feature = in(i).source;
  } else {
    image.feature = Feature(i);
  }
  image.c = dims[1];
  image.h = dims[2] - 2 * image.pad_y;
  image.w = dims[3] - 2 * image.pad_x;
  const Sizes& shape = graph_.ShapeOf(image.feature);
  image.grey = image.c == 1 && shape == Sizes{image.h, image.w};
  if (!image.grey && shape != Sizes{image.c, image.h, image.w})
    Refuse(StrCat("reads a feature with rows of ", SizesText(shape), " as ", SizesText(dims),
                  ": no layer reshapes it"));
  return image;
}

int64_t NodeImport::Axis(int64_t axis, const Sizes& dims) const {
  const auto count = static_cast<int64_t>(dims.size());
  if (axis < -count || axis >= count)
    Refuse(StrCat("axis ", axis, " is none of the ", count, " dimensions of its input"));
  return axis < 0 ? axis + count : axis;
}

ImportedLayer& NodeImport::Add(LayerType type, const std::vector<LayerOutput>& sources,
                               const Sizes& shape) {
  return graph_.AddLayer(type, node().outputs.empty() ? node().name : node().outputs[0], index_,
                         sources, shape);
}

void NodeImport::Give(const Sizes& dims) {
  ImportValue value{.form = ValueForm::kFeature, .dims = dims};
  value.source = {graph_.last_layer(), 0};
  Give(std::move(value));
}

void NodeImport::Give(ImportValue value, size_t output) {
  if (output >= node().outputs.size() || node().outputs[output].empty()) return;
  value.name = node().outputs[output];
  value.node = index_;
  graph_.SetValue(std::move(value));
}

void NodeImport::GiveSame(const Sizes& dims) {
  ImportValue value = in(0);
  value.dims = dims;
  if (!value.is_constant()) value.source = Feature(0), value.form = ValueForm::kFeature;
  Give(std::move(value));
}

}  // namespace singa
