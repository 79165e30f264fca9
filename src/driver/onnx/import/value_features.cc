#include "driver/onnx/import/value_features.h"

#include <algorithm>

#include "driver/onnx/import/attention_layer.h"

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
    case ValueForm::kIndices:
      return "reads indices as numbers";
    case ValueForm::kView:
    case ValueForm::kAttended:
      return "has an order of numbers that no layer reads";
    default:
      return "computes a part of a function that no layer has";
  }
}

// Multiplies pictures of the input by a number: kImagePreprocess does so.
LayerOutput ScaledInput(const ImportValue& value, LayerGraph* layers) {
  ImportedLayer& source = layers->layer(value.source.layer);
  const bool preprocessed = source.conf.type() == kImagePreprocess;
  const Sizes row = layers->ShapeOf(value.source);
  if ((value.source.layer != 0 && !preprocessed) || row.size() < 2 || row.size() > 3)
    layers->Refuse(value.node, NameOfStep(value.form));
  if (!preprocessed || source.conf.rgbimage_conf().has_scale() ||
      layers->IsShared(value.source.layer)) {
    layers->AddLayer(kImagePreprocess, value.name, value.node, {value.source}, row)
        .conf.mutable_rgbimage_conf()
        ->set_scale(value.factor);
    return {layers->last_layer(), 0};
  }
  source.conf.mutable_rgbimage_conf()->set_scale(value.factor);
  return value.source;
}

void SetMatrix(const ImportValue& value, ImportedLayer* layer) {
  InnerProductProto& conf = *layer->conf.mutable_innerproduct_conf();
  conf.set_num_output(static_cast<int32_t>(value.weight.dims[1]));
  conf.set_bias_term(false);
  conf.set_transpose(true);
  layer->params = {value.weight};
}

void SetJoin(const ImportValue& value, ImportedLayer* layer) {
  EltwiseProto& conf = *layer->conf.mutable_eltwise_conf();
  conf.set_operation(value.operation);
  const std::vector<float>& factors = value.coefficients;
  if (std::any_of(factors.begin(), factors.end(), [](float factor) { return factor != 1; }))
    conf.mutable_coeff()->Add(factors.begin(), factors.end());
}

void AddLayerOf(const ImportValue& value, LayerGraph* layers) {
  const auto add = [&](LayerType type) -> ImportedLayer& {
    return layers->AddLayer(type, value.name, value.node, {value.source},
                            Sizes(layers->ShapeOf(value.source)));
  };
  switch (value.form) {
    case ValueForm::kSigmoid:
      add(kSigmoid);
      return;
    case ValueForm::kTanh:
      if (value.factor != 1) break;
      add(kActivation).conf.mutable_activation_conf()->set_type(TANH);
      return;
    case ValueForm::kGelu:
      if (value.factor != 1) break;
      add(kActivation).conf.mutable_activation_conf()->set_type(GELU);
      return;
    case ValueForm::kMatrix:
      return SetMatrix(value, &layers->AddLayer(kInnerProduct, value.name, value.node,
                                                {value.source}, {value.weight.dims[1]}));
    case ValueForm::kProjected:
      return AddAttentionLayer(value, nullptr, layers);
    case ValueForm::kJoin:
      return SetJoin(value, &layers->AddLayer(kEltwise, value.name, value.node, value.terms,
                                              Sizes(layers->ShapeOf(value.terms[0]))));
    default:
      break;
  }
  layers->Refuse(value.node, NameOfStep(value.form));
}

}  // namespace

LayerOutput FeatureOf(ImportValue* value, LayerGraph* layers) {
  if (value->form == ValueForm::kFeature) return value->source;
  if (!value->refusal.empty()) throw ImportRefusal{value->refusal};
  if (value->form == ValueForm::kScaled) {
    value->source = ScaledInput(*value, layers);
  } else {
    AddLayerOf(*value, layers);
    value->source = {layers->last_layer(), 0};
  }
  value->form = ValueForm::kFeature;
  return value->source;
}

}  // namespace singa
