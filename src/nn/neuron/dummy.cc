// kDummy, for tests and measurements, copies its source's feature and its reader's gradient. As an
// input it has no source and gives values of U[0, 1); as an output it gives gradients of U[0, 1).
#include <algorithm>

#include "base/text/element_path.h"
#include "math/random/random_kernels.h"
#include "singa/base/error.h"
#include "singa/math/random_fill.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

class DummyLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    const bool input = conf.dummy_conf().input();
    return {.is_input = input, .row_wise = !input};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    input_ = conf.dummy_conf().input();
    output_ = conf.dummy_conf().output();
    declare.Sources(in, input_ ? 0 : 1);
    declare.Uses(UniformKernel);
    stream_ = conf.name();
    gradient_stream_ = stream_ + "/gradient";
    if (declare.group() > 0) stream_ += StrCat("/group", declare.group());
    if (input_)
      SetOwnShape(conf, out[0]);
    else
      out[0]->data.SetShape(in[0]->data.shape());
  }

  Traits traits() const override {
    return {.in_place_with = input_ || output_ ? -1 : 0,
            .originates_gradient = output_,
            .on_device = true,
            .needs_no_reader = true};
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    Tensor& y = out[0]->data;
    if (input_)
      Draw(ctx, stream_, out[0]->span, &y);
    else
      CopyBytes(ctx, in[0]->data.data(), y.data(), y.bytes());
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (input_ || in[0]->grad.empty()) return;
    Tensor& dx = in[0]->grad;
    if (output_)
      Draw(ctx, gradient_stream_, in[0]->span, &dx);
    else
      CopyBytes(ctx, out[0]->grad.data(), dx.data(), dx.bytes());
  }

 private:
  // Sets the shape of this worker's rows of dummy_conf.shape.
  static void SetOwnShape(const LayerProto& conf, Port* out) {
    const auto& sizes = conf.dummy_conf().shape();
    if (sizes.empty()) throw ConfigError("dummy_conf.shape", "must be set for an input");
    for (int i = 0; i < sizes.size(); ++i)
      if (sizes[i] < 1)
        throw ConfigError(ElementPath("dummy_conf.shape", i),
                          StrCat("must be >= 1, is ", sizes[i]));
    const std::vector<int64_t> dims(sizes.begin(), sizes.end());
    Shape shape{std::span<const int64_t>(dims)};
    out->span = {.rows = shape[0], .batch = shape[0], .first_step = conf.unroll_index()};
    if (const int64_t parts = conf.num_partitions(); parts > 1) {
      const int64_t part = conf.partition_id();
      if (shape[0] < parts)
        throw ConfigError(
            "dummy_conf.shape",
            StrCat(shape.ToString(), " has fewer rows than the group has workers, ", parts));
      const auto [first, rows] = PartOf(shape[0], part, parts);
      shape.Set(0, rows);
      out->span.first = first;
      out->span.rows = rows;
    }
    out->data.SetShape(shape);
  }

  // Fills x with numbers that depend on (layer, step, global row, unit).
  static void Draw(Context& ctx, const std::string& name, const RowSpan& span, Tensor* x) {
    const int64_t units = x->row_size(), n = span.rows * units;  // n: elements of one time step
    for (int64_t t = 0; t < span.steps; ++t)
      FillUniform(ctx, ctx.Random(name), span.GlobalRow(t * span.rows) * units, n, 0, 1,
                  x->data() + t * n);
  }

  bool input_ = false, output_ = false;
  std::string stream_, gradient_stream_;
};

SINGA_REGISTER_LAYER(kDummy, DummyLayer);

}  // namespace
}  // namespace singa
