// kConcate joins its sources along one dimension; all other sizes must agree. If it joins rows,
// each worker of a group joins its own rows of the sources. A bridge behind makes them its part of
// the joined rows.
#include <algorithm>

#include "base/text/element_path.h"
#include "nn/connection/row_pieces.h"
#include "nn/feature/piece.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

class ConcateLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    const int dim = conf.concate_conf().concate_dim();
    return {.row_wise = dim > 0, .joins_rows = dim == 0};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1, 1 << 20);
    declare.Uses(CopyBlocks);
    dim_ = conf.concate_conf().concate_dim();
    Shape shape = in[0]->data.shape();
    if (dim_ < 0 || dim_ >= shape.dims())
      throw ConfigError("concate_conf.concate_dim",
                        StrCat("must be from 0 to ", shape.dims() - 1, " for sources of shape ",
                               shape.ToString(), ", is ", dim_));
    if (conf.concate_conf().num_concates() < 1)
      throw ConfigError("concate_conf.num_concates",
                        StrCat("must be >= 1, is ", conf.concate_conf().num_concates()));
    int64_t size = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      CheckSource(conf, in[0]->data.shape(), in[i]->data.shape(), static_cast<int>(i));
      size += in[i]->data.shape()[dim_];
    }
    shape.Set(dim_, size);
    out[0]->data.SetShape(shape);
    out[0]->span = in[0]->span;
    if (dim_ == 0) SetRows(OwnWorker(conf), in, out[0]);
    SetLabel(in, out[0]);
  }

  Traits traits() const override { return {.on_device = true}; }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    const Blocks whole(out[0]->data.shape(), dim_);
    int64_t begin = 0;
    for (Port* port : in) {
      const Blocks piece(port->data.shape(), dim_);
      CopyPiece(ctx, out[0]->data.data(), whole, begin, port->data.data(), piece, true);
      begin += piece.size;
    }
    if (!out[0]->has_label()) return;
    int32_t* label = out[0]->label.as<int32_t>();
    for (Port* port : in.first(dim_ == 0 ? in.size() : 1)) {
      CopyBytes(ctx, port->label.as<int32_t>(), label, port->label.bytes());
      label += port->label.size();
    }
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    const Blocks whole(out[0]->data.shape(), dim_);
    int64_t begin = 0;
    for (Port* port : in) {
      const Blocks piece(port->data.shape(), dim_);
      if (!port->grad.empty())
        CopyPiece(ctx, out[0]->grad.data(), whole, begin, port->grad.data(), piece, false);
      begin += piece.size;
    }
  }

 private:
  void CheckSource(const LayerProto& conf, const Shape& first, const Shape& other, int i) const {
    bool same = first.dims() == other.dims();
    for (int d = 0; same && d < first.dims(); ++d) same = d == dim_ || first[d] == other[d];
    if (same) return;
    const std::string name = i < conf.srclayers_size() ? conf.srclayers(i) : StrCat(i);
    throw ConfigError(
        ElementPath("srclayers", static_cast<size_t>(i)),
        StrCat("sources may differ in dimension ", dim_, " alone; \"", name, "\" has the shape ",
               other.ToString(), ", the first ", first.ToString()));
  }

  // Sources with the same rows of the batch make a larger batch; other sources are parts of one
  // batch.
  static void SetRows(const OwnWorker& own, Inputs in, Port* out) {
    int64_t first = GroupRows(*in[0], own).first, rows = 0, batches = 0;
    bool same = true;
    for (const Port* port : in) {
      if (own.workers > 1 && !HasItsPart(*port, own))
        throw ConfigError("concate_conf.concate_dim",
                          "must be > 0: the workers' rows of the sources are not equal parts");
      const auto [begin, size] = GroupRows(*port, own);
      same = same && begin == first;
      first = std::min(first, begin);
      rows += size;
      batches += port->span.batch;
      if (own.workers > 1) out->pieces.push_back(size);
    }
    if (same) out->span.batch = batches;
    out->span = PartOfRows(out->span, first, rows, own);
    out->span.rows = out->data.shape()[0];
  }

  void SetLabel(Inputs in, Port* out) const {
    int64_t rows = 0;
    for (Port* port : in) {
      if (!port->has_label()) return;
      rows += port->label.size();
    }
    out->label.SetShape(dim_ == 0 ? Shape({rows}) : in[0]->label.shape(), DType::kI32);
  }

  int dim_ = 0;
};

SINGA_REGISTER_LAYER(kConcate, ConcateLayer);

}  // namespace
}  // namespace singa
