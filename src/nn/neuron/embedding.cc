#include "nn/neuron/embedding.h"

#include <cstring>

#include "math/cpu_dispatch.h"
#include "math/parallel_slices.h"
#include "nn/feature/row_index.h"
#include "singa/nn/layer.h"
#include "singa/tensor/memory.h"

namespace singa {
namespace {

void Forward(Context& ctx, const float* index, const float* table, float* y, int64_t n, int64_t d) {
  ParallelSlices(ctx, n * d, d, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin / d; r < end / d; ++r) {
      const auto i = static_cast<int64_t>(index[r]);
      if (i < 0)
        std::memset(y + r * d, 0, d * sizeof(float));
      else
        std::memcpy(y + r * d, table + i * d, d * sizeof(float));
    }
  });
}

SINGA_CPU_CLONES void AddTo(const float* __restrict x, float* __restrict y, int64_t n) {
  for (int64_t j = 0; j < n; ++j) y[j] += x[j];
}

// Each thread adds up some columns of all rows, in the order of the rows.
void Backward(Context& ctx, const float* index, const float* dy, float beta, float* dtable,
              int64_t n, int64_t v, int64_t d) {
  constexpr int64_t kColumns = 16;  // a cache line
  if (beta == 0)
    ParallelSlices(ctx, v * d, [=](int64_t begin, int64_t end) {
      std::memset(dtable + begin, 0, (end - begin) * sizeof(float));
    });
  ParallelSlices(ctx, n * d, n * kColumns, [=](int64_t begin, int64_t end) {
    const int64_t first = begin / n, columns = end / n - first;
    for (int64_t r = 0; r < n; ++r) {
      const auto i = static_cast<int64_t>(index[r]);
      if (i >= 0) AddTo(dy + r * d + first, dtable + i * d + first, columns);
    }
  });
}

[[maybe_unused]] const bool registered =
    EmbeddingForward.Set(Device::kCpu, Forward) && EmbeddingBackward.Set(Device::kCpu, Backward);

// data: (rows, feature_dim); param 0, the table: (vocab_size, feature_dim).
class EmbeddingLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.row_wise = true}; }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    name_ = conf.name();
    RequireIndices(conf, *in[0]);
    const int64_t size = conf.embedding_conf().vocab_size();
    CheckIndexRange("embedding_conf.vocab_size", size);
    const int64_t units = conf.embedding_conf().feature_dim();
    if (units < 1)
      throw ConfigError("embedding_conf.feature_dim", StrCat("must be >= 1, is ", units));
    table_ = declare.Param(0, {size, units}, GaussianValues(1));  // as torch.nn.Embedding
    declare.Uses(EmbeddingForward, EmbeddingBackward);
    out[0]->data.SetShape({in[0]->data.rows(), units});
  }

  Traits traits() const override { return {.grad_reads_in = true, .on_device = true, .checks = 1}; }

  void CheckInputs(Phase, Inputs in) override {
    CheckIndices(name_, *in[0], table_->shape()[0], true);
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    Tensor& y = out[0]->data;
    EmbeddingForward(ctx, in[0]->data.data(), table_->data.data(), y.data(), y.rows(),
                     y.row_size());
  }

  void ComputeGradient(Context& ctx, Inputs in, Outputs out) override {
    Tensor& index_grad = in[0]->grad;  // an index has none
    if (!index_grad.empty()) ZeroBytes(ctx, index_grad.data(), index_grad.bytes());
    if (table_->grad.empty()) return;
    const Tensor& dy = out[0]->grad;
    EmbeddingBackward(ctx, in[0]->data.data(), dy.data(), table_->beta(), table_->grad.data(),
                      dy.rows(), table_->shape()[0], dy.row_size());
  }

 private:
  std::string name_;
  Param* table_ = nullptr;
};

SINGA_REGISTER_LAYER(kEmbedding, EmbeddingLayer);

}  // namespace
}  // namespace singa
