// kEmbedding: x[t] = table[word of row t] for each t of the window, 0 behind it.
//   x: [max_window, word_dim]; table: [vocab_size, word_dim].
//   dtable[w] = the sum of dx[t] over all t whose word is w
#include <algorithm>
#include <functional>
#include <string>

#include "rnnlm.pb.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "words.h"

namespace rnnlm {
namespace {

using singa::ConfigError;
using singa::StrCat;

class EmbeddingLayer final : public singa::Layer {
 public:
  void Setup(const singa::LayerProto& conf, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 1);
    if (in[0]->data.row_size() != kColumns || in[0]->data.rows() < 2)
      throw ConfigError("srclayers", StrCat("must be a kData, \"", conf.srclayers(0), "\" is not"));
    source_ = conf.srclayers(0);
    vocab_size_ = conf.GetExtension(embedding_conf).vocab_size();
    dim_ = conf.GetExtension(embedding_conf).word_dim();
    if (vocab_size_ < 1 || vocab_size_ > kMostWords)
      throw ConfigError("[embedding_conf].vocab_size",
                        StrCat("must be from 1 to ", kMostWords, ", is ", vocab_size_));
    if (dim_ < 1) throw ConfigError("[embedding_conf].word_dim", StrCat("must be >= 1, is ", dim_));
    table_ = declare.Param(0, {vocab_size_, dim_});
    declare.InPieces(table_);
    out[0]->data.SetShape({in[0]->data.rows() - 1, dim_});
  }

  singa::Traits traits() const override { return {.grad_reads_in = true}; }

  void ComputeFeature(singa::Context&, singa::Phase, singa::Inputs in,
                      singa::Outputs out) override {
    const singa::Tensor& words = in[0]->data;
    CheckWindow(words, source_);
    float* x = out[0]->data.data();
    const int64_t n = WindowLength(words);
    for (int64_t t = 0; t <= n; ++t)
      if (const int64_t word = At(words, t, kWord); word >= vocab_size_)
        throw ConfigError("[embedding_conf].vocab_size",
                          StrCat("must be > ", word, ", a word of the data, is ", vocab_size_));
    for (int64_t t = 0; t < n; ++t)
      std::copy_n(table_->data.data() + At(words, t, kWord) * dim_, dim_, x + t * dim_);
    std::fill(x + n * dim_, x + out[0]->data.size(), 0);
  }

  void ComputeGradient(singa::Context&, singa::Inputs in, singa::Outputs out) override {
    const auto rows = [&](singa::Context&, int64_t first, int64_t count, float* piece) {
      AddRows(in[0]->data, out[0]->grad.data(), first, count, 0, piece);
    };
    if (table_->sink)
      table_->sink->Consume(table_, std::ref(rows));
    else if (!table_->grad.empty())
      AddRows(in[0]->data, out[0]->grad.data(), 0, vocab_size_, table_->beta(),
              table_->grad.data());
  }

 private:
  // Rows [first, first + count) of the gradient: dtable = beta dtable + what this window gives.
  void AddRows(const singa::Tensor& words, const float* dx, int64_t first, int64_t count,
               float beta, float* dtable) const {
    if (beta == 0) std::fill_n(dtable, count * dim_, 0.f);
    const int64_t n = WindowLength(words);
    for (int64_t t = 0; t < n; ++t) {
      const int64_t row = At(words, t, kWord) - first;
      if (row < 0 || row >= count) continue;
      for (int64_t j = 0; j < dim_; ++j) dtable[row * dim_ + j] += dx[t * dim_ + j];
    }
  }

  std::string source_;
  int64_t vocab_size_ = 0, dim_ = 0;
  singa::Param* table_ = nullptr;
};
SINGA_REGISTER_LAYER(kEmbedding, EmbeddingLayer);

}  // namespace
}  // namespace rnnlm
