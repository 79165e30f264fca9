// kLabel (deprecated) gives the labels of kShardData or kLMDBData, as labels and as numbers.
//   data: (rows), label: i32 [rows]
#include <algorithm>

#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class LabelLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.row_wise = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    if (!in[0]->has_label())
      throw ConfigError("srclayers", StrCat("source \"", conf.srclayers(0), "\" has no labels"));
    const int64_t rows = in[0]->label.rows();
    out[0]->data.SetShape({rows});
    out[0]->label.SetShape({rows}, DType::kI32);
  }

  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    const int32_t* labels = in[0]->label.as<int32_t>();
    const int64_t rows = in[0]->label.rows();
    std::copy_n(labels, rows, out[0]->label.as<int32_t>());
    std::copy_n(labels, rows, out[0]->data.data());
  }
};

SINGA_REGISTER_LAYER(kLabel, LabelLayer);

}  // namespace
}  // namespace singa
