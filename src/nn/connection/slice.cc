// kSlice cuts one dimension into num_slices pieces; piece j of K holds [j n / K, (j + 1) n / K), so
// sizes differ by at most one. If the pieces are rows, each worker of a group gets its part of
// each piece through a bridge.
#include "nn/connection/row_pieces.h"
#include "nn/feature/piece.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

class SliceLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    return {.num_outputs = std::max(1, conf.slice_conf().num_slices()),
            .row_wise = conf.slice_conf().slice_dim() > 0,
            .cuts_rows = conf.slice_conf().slice_dim() == 0};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    const Shape& x = in[0]->data.shape();
    declare.Uses(CopyBlocks, ZeroBlocks);
    dim_ = conf.slice_conf().slice_dim();
    const int64_t slices = conf.slice_conf().num_slices();
    if (dim_ < 0 || dim_ >= x.dims())
      throw ConfigError("slice_conf.slice_dim",
                        StrCat("must be from 0 to ", x.dims() - 1, " for a source of shape ",
                               x.ToString(), ", is ", dim_));
    if (slices < 1 || slices > x[dim_])
      throw ConfigError("slice_conf.num_slices",
                        StrCat("must be from 1 to ", x[dim_], ", the size of dimension ", dim_,
                               " of ", x.ToString(), ", is ", slices));
    if (dim_ == 0) return SetRows(*in[0], OwnWorker(conf), out);
    for (int64_t j = 0; j < slices; ++j) {
      Shape shape = x;
      shape.Set(dim_, PartOf(x[dim_], j, slices).second);
      out[j]->data.SetShape(shape);
      out[j]->label.SetShape(in[0]->label.shape(), DType::kI32);
      out[j]->span = in[0]->span;
    }
  }

  Traits traits() const override { return {.on_device = true}; }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    Copy(ctx, in[0]->data, out);
    if (!in[0]->has_label()) return;
    const int32_t* label = in[0]->label.as<int32_t>();
    for (Port* port : out) {
      CopyBytes(ctx, label, port->label.as<int32_t>(), port->label.bytes());
      if (dim_ == 0) label += port->label.size();
    }
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    if (in[0]->grad.empty()) return;
    float* dx = in[0]->grad.data();
    const Blocks whole(in[0]->grad.shape(), dim_);
    int64_t begin = 0;
    for (Port* port : out) {
      const Blocks piece(port->data.shape(), dim_);
      if (port->grad.empty())  // no layer reads this piece
        ZeroBlocks(ctx, dx + begin * whole.inner, whole.size * whole.inner, whole.outer,
                   piece.size * piece.inner);
      else
        CopyPiece(ctx, dx, whole, begin, port->grad.data(), piece, true);
      begin += piece.size;
    }
  }

 private:
  static void SetRows(const Port& in, const OwnWorker& own, Outputs out) {
    int64_t first = GroupRows(in, own).first;
    std::vector<int64_t> pieces = in.pieces;
    if (pieces.empty()) pieces = EvenPieces(in.data.shape()[0], static_cast<int>(out.size()));
    for (size_t j = 0; j < out.size(); first += pieces[j++]) {
      const RowSpan span = PartOfRows(in.span, first, pieces[j], own);
      Shape shape = in.data.shape();
      shape.Set(0, span.rows);
      out[j]->data.SetShape(shape);
      out[j]->span = span;
      if (in.has_label()) out[j]->label.SetShape({span.rows}, DType::kI32);
    }
  }

  void Copy(Context& ctx, Tensor& whole, Outputs out) const {
    const Blocks blocks(whole.shape(), dim_);
    int64_t begin = 0;
    for (Port* port : out) {
      const Blocks piece(port->data.shape(), dim_);
      CopyPiece(ctx, whole.data(), blocks, begin, port->data.data(), piece, false);
      begin += piece.size;
    }
  }

  int dim_ = 0;
};

SINGA_REGISTER_LAYER(kSlice, SliceLayer);

}  // namespace
}  // namespace singa
