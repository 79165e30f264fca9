// RankedRows finds the topk largest numbers of each row of a feature by an ArgSortProto. kAccuracy
// and kArgSort use it.
#pragma once

#include "math/reduction/top_k.h"
#include "nn/feature/flat_rows.h"
#include "singa/base/error.h"
#include "singa/nn/declare.h"
#include "singa/nn/port.h"

namespace singa {

class RankedRows {
 public:
  // Sets the output's shape, (rows, topk), and declares scratch. Throws ConfigError.
  void Setup(const LayerProto& conf, Declare& declare, const Port& in, Port* out) {
    flat_ = FlatRows(in.data.shape());
    RequireExactIndices(flat_.row_size());
    topk_ = conf.argsort_conf().topk();
    if (topk_ < 1 || topk_ > flat_.row_size())
      throw ConfigError("argsort_conf.topk",
                        StrCat("must be in [1, ", flat_.row_size(), "], is ", topk_));
    declare.Uses(TopK);
    flat_.DeclareCopy(&declare);
    out->data.SetShape({flat_.rows(), topk_});
  }

  int64_t rows() const { return flat_.rows(); }
  int64_t row_size() const { return flat_.row_size(); }
  int64_t topk() const { return topk_; }

  // Writes the indices, largest number first. Returns the rows in logical order, which may be a
  // copy in scratch.
  const float* Rank(Context& ctx, const Port& in, Port* out) const {
    const float* rows = flat_.InOrder(ctx, in.data.data(), ctx.scratch);
    TopK(ctx, rows, out->data.data(), flat_.rows(), flat_.row_size(), topk_);
    return rows;
  }

 private:
  FlatRows flat_;
  int64_t topk_ = 1;
};

}  // namespace singa
