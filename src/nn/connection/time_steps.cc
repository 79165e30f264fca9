// kTimeSteps turns rows that are whole sequences into the time steps of an unrolled net. Output t
// is step t of every row, and time step t of its readers reads it. kRNNLabel reads output t + 1.
//   source: (rows, steps, units) or (rows, steps)      data: (rows, units) or (rows, 1)
// Shorter sequences are padded at the end with -1, which kEmbedding and kOneHot take for no index,
// and a loss for no label (ignore_label).
#include <cstring>
#include <string>

#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class TimeStepsLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    constexpr int kMost = 50000;
    const int steps = conf.time_steps_conf().unroll_len(), ahead = conf.time_steps_conf().ahead();
    if (steps < 1 || steps > kMost)
      throw ConfigError("time_steps_conf.unroll_len",
                        StrCat("must be from 1 to ", kMost, ", is ", steps));
    if (ahead < 0 || ahead > kMost)
      throw ConfigError("time_steps_conf.ahead",
                        StrCat("must be from 0 to ", kMost, ", is ", ahead));
    return {.num_outputs = steps + ahead,
            .outputs_are_steps = true,
            .steps_ahead = ahead,
            .steps_field = "time_steps_conf.unroll_len",
            .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const Shape& x = in[0]->data.shape();
    const std::string source = conf.srclayers_size() > 0 ? conf.srclayers(0) : "the first";
    const auto steps = static_cast<int64_t>(out.size());
    if (x.dims() < 2 || x.dims() > 3)
      throw ConfigError(
          "srclayers", StrCat("source \"", source, "\" must have rows of (", steps, ") or (", steps,
                              ", units), has the shape ", x.ToString()));
    if (x[1] != steps)
      throw ConfigError("time_steps_conf.unroll_len",
                        StrCat("must be, with `ahead`, ", x[1], ", the steps of the shape ",
                               x.ToString(), " of source \"", source, "\", is ", steps));
    units_ = x.dims() == 3 ? x[2] : 1;
    for (size_t t = 0; t < out.size(); ++t) {
      out[t]->data.SetShape({x[0], units_});
      out[t]->span = in[0]->span;
      out[t]->span.first_step = static_cast<int64_t>(t);
      if (in[0]->has_label()) out[t]->label.SetShape({x[0]}, DType::kI32);
    }
  }

  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    const auto steps = static_cast<int64_t>(out.size());
    const float* x = in[0]->data.data();
    for (int64_t r = 0; r < in[0]->data.rows(); ++r)
      for (int64_t t = 0; t < steps; ++t, x += units_)
        std::memcpy(out[t]->data.data() + r * units_, x, units_ * sizeof(float));
    if (!in[0]->has_label()) return;
    for (Port* port : out)  // each step has its record's label
      std::memcpy(port->label.as<int32_t>(), in[0]->label.as<int32_t>(), port->label.bytes());
  }

 private:
  int64_t units_ = 1;
};

SINGA_REGISTER_LAYER(kTimeSteps, TimeStepsLayer);

}  // namespace
}  // namespace singa
