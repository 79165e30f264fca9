#include "driver/onnx/import/attention_layer.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

// The kInnerProduct that gives queries, keys or values, and the unit at which they begin.
struct HeadSource {
  int layer = -1;
  int64_t first = 0;
};

class AttentionImport {
 public:
  AttentionImport(const ImportValue& value, LayerGraph* layers)
      : value_(value), layers_(*layers), d_(value.attention.heads * value.attention.width) {
    const AttentionSources& from = value.attention;
    sources_ = {SourceOf(from.q), SourceOf(from.k), SourceOf(from.v)};
  }

  void Add(const ImportedParam* bias) {
    Check();
    const ImportedLayer& first = inner(0);
    const bool bias_term = first.params.size() > 1;
    if (bias_term != (bias != nullptr))
      Refuse("has a bias in one product and none in another, which no layer has");
    std::vector<ImportedParam> params = {Joined(0)};
    if (bias_term) params.push_back(Joined(1));
    params.push_back(value_.weight);
    if (bias) params.push_back(*bias);
    const LayerOutput x = first.sources[0];
    ImportedLayer& layer = layers_.AddLayer(kAttention, value_.name, value_.node, {x}, {d_});
    layer.params = std::move(params);
    AttentionProto& conf = *layer.conf.mutable_attention_conf();
    conf.set_num_heads(static_cast<int32_t>(value_.attention.heads));
    if (!value_.attention.causal && layer.steps > 1) conf.set_causal(false);
    if (!bias_term) conf.set_bias_term(false);
  }

 private:
  [[noreturn]] void Refuse(const std::string& why) const { layers_.Refuse(value_.node, why); }
  const ImportedLayer& inner(int i) const { return layers_.layer(sources_[i].layer); }

  // Looks through a kSlice that cuts queries, keys and values apart.
  HeadSource SourceOf(const AttentionSources::Part& part) const {
    HeadSource source = {part.feature.layer, part.first};
    const ImportedLayer& layer = layers_.layer(source.layer);
    if (layer.conf.type() != kSlice) return source;
    for (int k = 0; k < part.feature.output; ++k) source.first += UnitsOf(layer.shapes[k]);
    source.layer = layer.sources[0].layer;
    return source;
  }

  // Refuses the parts unless one product gives queries, keys and values, or one product each.
  void Check() const {
    const bool one =
        sources_[0].layer == sources_[1].layer && sources_[0].layer == sources_[2].layer;
    for (int i = 0; i < 3; ++i) {
      const ImportedLayer& layer = inner(i);
      const InnerProductProto& conf = layer.conf.innerproduct_conf();
      if (layer.conf.type() != kInnerProduct || sources_[i].first != (one ? i * d_ : 0) ||
          conf.num_output() != (one ? 3 : 1) * d_ || layer.sources != inner(0).sources ||
          layer.params.size() != inner(0).params.size() ||
          conf.transpose() != inner(0).conf.innerproduct_conf().transpose())
        Refuse(
            "is no attention of a layer, whose queries, keys and values are products of the "
            "same rows");
    }
    const int64_t units = UnitsOf(layers_.ShapeOf(inner(0).sources[0]));
    if (units != d_ || layers_.ShapeOf(inner(0).sources[0]).size() != 1)
      Refuse(StrCat("reads rows of ", units, " units, and has ", d_,
                    "; a layer's attention has as many units as its rows"));
    const double scale = 1 / std::sqrt(static_cast<double>(value_.attention.width));
    if (!(std::abs(value_.factor - scale) <= 1e-5 * scale))
      Refuse(StrCat("scales its scores by ", value_.factor, "; a layer does so by ", scale));
  }

  // Returns param i of the product. If there are three products, joins their params i.
  ImportedParam Joined(int i) const {
    ImportedParam param = inner(0).params[i];
    param.transposed = i == 0 && inner(0).conf.innerproduct_conf().transpose();
    param.dims = i == 0 ? Sizes{3 * d_, d_} : Sizes{3 * d_};
    if (sources_[0].layer != sources_[1].layer)
      for (int k : {1, 2}) param.behind.push_back(inner(k).params[i].tensor);
    return param;
  }

  const ImportValue& value_;
  LayerGraph& layers_;
  const int64_t d_;
  std::array<HeadSource, 3> sources_;
};

}  // namespace

void AddAttentionLayer(const ImportValue& value, const ImportedParam* bias, LayerGraph* layers) {
  AttentionImport(value, layers).Add(bias);
}

}  // namespace singa
