// kSoftmax computes the softmax of each row, or of each of num_softmax_per_instance equal parts of
// it.
#include "math/reduction/softmax.h"

#include "nn/feature/flat_rows.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class SoftmaxLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    flat_ = FlatRows(in[0]->data.shape());
    parts_ = conf.softmax_conf().num_softmax_per_instance();
    if (parts_ < 1 || flat_.row_size() % parts_)
      throw ConfigError(
          "softmax_conf.num_softmax_per_instance",
          StrCat("must be >= 1 and divide the ", flat_.row_size(), " units of a row, is ", parts_));
    declare.Uses(SoftmaxForward, SoftmaxBackward);
    flat_.DeclareCopy(&declare);
    out[0]->data.SetShape({flat_.rows(), flat_.row_size()});
  }

  Traits traits() const override {
    return {.grad_reads_out = true,
            .in_place_with = flat_.in_order() ? 0 : -1,
            .on_device = true,
            .gives_softmax = true};
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    const float* x = in[0]->data.data();
    float* y = out[0]->data.data();
    if (!flat_.in_order()) {
      flat_.FromStored(ctx, x, y);
      x = y;
    }
    SoftmaxForward(ctx, x, y, flat_.rows() * parts_, flat_.row_size() / parts_);
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    float* flat_dx = flat_.in_order() ? dx : static_cast<float*>(ctx.scratch);
    SoftmaxBackward(ctx, out[0]->data.data(), out[0]->grad.data(), flat_dx, flat_.rows() * parts_,
                    flat_.row_size() / parts_);
    if (!flat_.in_order()) flat_.ToStored(ctx, flat_dx, dx);
  }

 private:
  FlatRows flat_;
  int64_t parts_ = 1;
};

SINGA_REGISTER_LAYER(kSoftmax, SoftmaxLayer);
SINGA_REGISTER_LAYER(kCudnnSoftmax, SoftmaxLayer);

}  // namespace
}  // namespace singa
