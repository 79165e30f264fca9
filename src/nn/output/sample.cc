// kSample draws an index for each row by its probability. Its source has probabilities (rows,
// classes), as a kSoftmax gives them. Its feature has the shape (rows, 1) and whole numbers. Random
// numbers depend on (layer, step, batch of a test, global row). Throws DivergedError for a row that
// is not finite, and ConfigError for a row that has no probabilities.
#include "nn/output/sample.h"

#include <algorithm>
#include <cmath>

#include "math/random/random_kernels.h"
#include "math/reduction/top_k.h"
#include "nn/feature/flat_rows.h"
#include "nn/output/sample_block.h"
#include "singa/base/error.h"
#include "singa/math/random_fill.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

float DrawOne(const float* p, float u, float power, int64_t d) {
  const float largest = *std::max_element(p, p + d);
  double sum = 0;
  for (int64_t j = 0; j < d; ++j) sum += SampleWeight(p[j], largest, power);
  double rest = u * sum;
  int64_t last = 0;
  for (int64_t j = 0; j < d; ++j) {
    const double weight = SampleWeight(p[j], largest, power);
    if (weight <= 0) continue;
    last = j;
    if ((rest -= weight) < 0) break;
  }
  return static_cast<float>(last);
}

void Draw(Context&, const float* p, const float* u, float power, float* index, int64_t n,
          int64_t d) {
  for (int64_t i = 0; i < n; ++i) index[i] = DrawOne(p + i * d, u[i], power, d);
}

[[maybe_unused]] const bool registered = DrawIndex.Set(Device::kCpu, Draw);

class SampleLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.differentiable = false}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    name_ = conf.name();
    const float temperature = conf.sample_conf().temperature();
    power_ = 1 / temperature;
    if (!(temperature > 0) || !std::isfinite(temperature) || !std::isfinite(power_))
      throw ConfigError("sample_conf.temperature",
                        StrCat("must be > 0 and finite, is ", temperature));
    const FlatRows flat(in[0]->data.shape());
    if (!flat.in_order())
      throw ConfigError("srclayers", StrCat("must give a row of probabilities, gives ",
                                            in[0]->data.shape().ToString()));
    RequireExactIndices(flat.row_size());
    declare.Uses(UniformKernel, DrawIndex);
    declare.Scratch(flat.rows() * static_cast<int64_t>(sizeof(float)));
    out[0]->data.SetShape({flat.rows(), 1});
  }

  void BeginPass(Context&, int64_t batches_before) override { batch_ = batches_before; }

  Traits traits() const override {
    return {.on_device = true, .checks = 1, .needs_no_reader = true};
  }

  void CheckInputs(Phase, Inputs in) override {
    const Tensor& p = in[0]->data;
    for (int64_t r = 0; r < p.rows(); ++r) CheckRow(p.data() + r * p.row_size(), r, p.row_size());
  }

  void ComputeFeature(Context& ctx, Phase phase, Inputs in, Outputs out) override {
    // Each batch has 2^40 random numbers, more than it has rows in all time steps.
    constexpr int kBatchBits = 40;
    float* const u = static_cast<float*>(ctx.scratch);
    const Tensor& p = in[0]->data;
    const int64_t n = p.rows(), d = p.row_size();
    // In training ctx.Random changes with each step.
    const int64_t batch = phase & kTrain ? 0 : batch_++;
    FillUniform(ctx, ctx.Random(name_), (batch << kBatchBits) + in[0]->span.GlobalRow(0), n, 0, 1,
                u);
    DrawIndex(ctx, p.data(), u, power_, out[0]->data.data(), n, d);
  }

 private:
  void CheckRow(const float* p, int64_t row, int64_t d) const {
    double sum = 0;
    float least = 0;
    for (int64_t j = 0; j < d; ++j) {
      sum += p[j];
      least = std::min(least, p[j]);
    }
    if (!std::isfinite(sum))
      throw DivergedError(
          StrCat("layer \"", name_, "\": the probabilities of row ", row, " are not finite"));
    constexpr double kRounding = 1e-3;
    if (least < 0 || std::abs(sum - 1) > kRounding)
      throw ConfigError("srclayers",
                        StrCat("must give probabilities, as a kSoftmax does; row ", row,
                               " adds up to ", sum, least < 0 ? StrCat(" and holds ", least) : ""));
  }

  std::string name_;
  float power_ = 1;
  int64_t batch_ = 0;  // number of the batch in this test
};
SINGA_REGISTER_LAYER(kSample, SampleLayer);

}  // namespace
}  // namespace singa
