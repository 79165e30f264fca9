#include "driver/onnx/import/node_inputs.h"

#include <algorithm>
#include <climits>

#include "driver/onnx/import/value_features.h"
#include "io/checkpoint/json_text.h"

namespace singa {

ImportValue& NodeInputs::in(size_t i) const {
  if (!Has(i)) Refuse(StrCat("input ", i, " is missing"));
  return state_.values.Value(node().inputs[i]);
}

Sizes NodeInputs::Integers(size_t i) const {
  const ImportValue& value = in(i);
  if (value.is_constant() && value.integers) return *value.integers;
  const OnnxTensor* const tensor = value.tensor;
  if (!value.is_constant() || !tensor || !TensorValues::HasIntegers(*tensor))
    Refuse(StrCat("input ", Quote(value.name), " must be a constant of integers"));
  if (tensor->size() > kMostSizes)
    Refuse(StrCat("input ", Quote(value.name), " has ", tensor->size(),
                  " integers; a list of sizes has at most ", kMostSizes));
  Sizes numbers = state_.tensors.Integers(*tensor);
  if (std::any_of(numbers.begin(), numbers.end(), IsFree))
    Refuse(StrCat("input ", Quote(value.name), " has a number below all sizes"));
  return numbers;
}

std::vector<float> NodeInputs::Floats(size_t i) const {
  const OnnxTensor& tensor = *Weight(i).tensor;
  if (!TensorValues::HasFloats(tensor))
    Refuse(StrCat("input ", Quote(in(i).name), " must be a constant of floats"));
  return state_.tensors.Floats(tensor);
}

bool NodeInputs::HasFloats(size_t i) const {
  return IsConstant(i) && in(i).tensor && TensorValues::HasFloats(*in(i).tensor);
}

ImportedParam NodeInputs::Weight(size_t i) const {
  const ImportValue& value = in(i);
  if (!value.is_constant() || !value.tensor)
    Refuse(StrCat("input ", Quote(value.name), " must be a constant of the file"));
  return {.tensor = value.tensor, .dims = value.dims};
}

std::optional<float> NodeInputs::Number(size_t i) const {
  if (!IsConstant(i) || !in(i).tensor || in(i).tensor->size() != 1) return {};
  return Floats(i)[0];
}

LayerOutput NodeInputs::Feature(size_t i) const {
  FeatureDims(i);
  return FeatureOf(&in(i), &state_.layers);
}

const Sizes& NodeInputs::FeatureDims(size_t i) const {
  const ImportValue& value = in(i);
  if (value.is_constant())
    Refuse(StrCat("no layer adds, multiplies or reads a constant in this place: ",
                  Quote(value.name), " ", SizesText(value.dims)));
  return value.dims;
}

ImportedParam NodeInputs::Bias(size_t i, int64_t units) const {
  ImportedParam bias = Weight(i);
  if (ProductOf(bias.dims) != units || (!bias.dims.empty() && bias.dims.back() != units))
    Refuse(StrCat("has ", units, " outputs, and a bias of ", SizesText(bias.dims)));
  return bias;
}

ImportedParam NodeInputs::Matrix() const {
  ImportedParam weight = Weight(1);
  if (weight.dims.size() != 2 || weight.dims[0] < 1 || weight.dims[1] < 1 ||
      weight.dims[0] > INT_MAX || weight.dims[1] > INT_MAX)
    Refuse(StrCat("multiplies by a constant of ", SizesText(weight.dims), ", which is no matrix"));
  return weight;
}

ImportedImage NodeInputs::Image(size_t i, bool padded) const {
  ImportedImage image;
  const Sizes& dims = FeatureDims(i);
  if (dims.size() != 4 || dims[0] != kFreeBatch)
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
  const Sizes& shape = state_.layers.ShapeOf(image.feature);
  image.grey = image.c == 1 && shape == Sizes{image.h, image.w};
  if (!image.grey && shape != Sizes{image.c, image.h, image.w})
    Refuse(StrCat("reads a feature with rows of ", SizesText(shape), " as ", SizesText(dims),
                  ": no layer reshapes it"));
  return image;
}

}  // namespace singa
