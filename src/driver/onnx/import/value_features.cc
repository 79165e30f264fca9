// FeatureOf makes the layer of a value that several nodes make together.
#include <algorithm>

#include "driver/onnx/import/graph_import.h"

namespace singa {
namespace {

const char* NameOfStep(ValueForm form) {
  switch (form) {
    case ValueForm::kScaled:
      return "no layer multiplies by a number in this place";
    case ValueForm::kPlusThree:
      return "no layer adds a number in this place";
    case ValueForm::kPadded:
      return "no layer pads; only a Conv or AveragePool that reads it alone can do so";
    default:
      return "computes a part of a function that no layer has";
  }
}

}  // namespace

// Multiplies pictures of the input by a number: kImagePreprocess does so.
LayerOutput GraphImport::ScaledInput(const ImportValue& value) {
  ImportedLayer& source = layer(value.source.layer);
  const bool preprocessed = source.conf.type() == kImagePreprocess;
  const Sizes row = ShapeOf(value.source);
  if ((value.source.layer != 0 && !preprocessed) || row.size() < 2 || row.size() > 3)
    Refuse(value.node, NameOfStep(value.form));
  if (!preprocessed || source.conf.rgbimage_conf().has_scale() || IsShared(value.source.layer)) {
    AddLayer(kImagePreprocess, value.name, value.node, {value.source}, row)
        .conf.mutable_rgbimage_conf()
        ->set_scale(value.factor);
    return {last_layer(), 0};
  }
  source.conf.mutable_rgbimage_conf()->set_scale(value.factor);
  return value.source;
}

LayerOutput GraphImport::FeatureOf(ImportValue* value) {
  if (value->form == ValueForm::kFeature) return value->source;
  if (value->form == ValueForm::kScaled) {
    value->source = ScaledInput(*value);
    value->form = ValueForm::kFeature;
    return value->source;
  }
  const Sizes row = value->form == ValueForm::kMatrix ? Sizes{value->weight.dims[1]}
                    : value->form == ValueForm::kJoin ? ShapeOf(value->terms[0])
                                                      : ShapeOf(value->source);
  const auto add = [&](LayerType type) -> ImportedLayer& {
    return AddLayer(type, value->name, value->node, {value->source}, row);
  };
  switch (value->form) {
    case ValueForm::kSigmoid:
      add(kSigmoid);
      break;
    case ValueForm::kTanh:
      if (value->factor != 1) Refuse(value->node, NameOfStep(value->form));
      add(kActivation).conf.mutable_activation_conf()->set_type(TANH);
      break;
    case ValueForm::kGelu:
      if (value->factor != 1) Refuse(value->node, NameOfStep(value->form));
      add(kActivation).conf.mutable_activation_conf()->set_type(GELU);
      break;
    case ValueForm::kMatrix: {
      ImportedLayer& layer = add(kInnerProduct);
      InnerProductProto& conf = *layer.conf.mutable_innerproduct_conf();
      conf.set_num_output(static_cast<int32_t>(row[0]));
      conf.set_bias_term(false);
      conf.set_transpose(true);
      layer.params = {value->weight};
      break;
    }
    case ValueForm::kJoin: {
      ImportedLayer& layer = add(kEltwise);
      layer.sources = value->terms;
      EltwiseProto& conf = *layer.conf.mutable_eltwise_conf();
      conf.set_operation(value->operation);
      const std::vector<float>& factors = value->coefficients;
      if (std::any_of(factors.begin(), factors.end(), [](float factor) { return factor != 1; }))
        conf.mutable_coeff()->Add(factors.begin(), factors.end());
      break;
    }
    default:
      Refuse(value->node, NameOfStep(value->form));
  }
  value->form = ValueForm::kFeature;
  value->source = {last_layer(), 0};
  return value->source;
}

}  // namespace singa
