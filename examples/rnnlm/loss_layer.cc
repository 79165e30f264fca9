// kLoss: the probability of each word of the window by its class, after Mikolov et al., "Extensions
// of recurrent neural network language model", ICASSP 2011:
//   P(w) = softmax(h u^T)[class of w] softmax(h v_c^T)[w], v_c the rows of v of that class's words
// Sources: h of kHidden, [max_window, d]; kData. Row t of h tells word t + 1 of the window.
//   v: [vocab_size, d], param 0; u: [nclass, d], param 1.
// Feature: P of each word, [max_window], 0 behind the window's end. Metrics: "loss", the mean of
// -ln P over words, and "ppl", e to it, the perplexity. The gradient is that of the sum of -ln P
// over the window.
#include <algorithm>
#include <cmath>
#include <functional>

#include "rnnlm.pb.h"
#include "singa/base/error.h"
#include "singa/math/gemm.h"
#include "singa/nn/layer.h"
#include "words.h"

namespace rnnlm {
namespace {

using singa::ConfigError;
using singa::StrCat;

// Softmax in place. Returns -ln of the probability of `target`.
double Softmax(float* x, int64_t n, int64_t target) {
  const float max = *std::max_element(x, x + n), wanted = x[target];
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += x[i] = std::exp(x[i] - max);
  const auto scale = static_cast<float>(1 / sum);
  for (int64_t i = 0; i < n; ++i) x[i] *= scale;
  return std::log(sum) + max - wanted;
}

// A word to be told: its class, its place in it, and the class's words.
struct Target {
  explicit Target(const singa::Tensor& words, int64_t t)
      : class_index(At(words, t + 1, kClass)),
        first(At(words, t + 1, kClassStart)),
        size(At(words, t + 1, kClassEnd) - first),
        place(At(words, t + 1, kWord) - first) {}
  const int64_t class_index, first, size, place;
};

class LossLayer final : public singa::Layer {
 public:
  void Setup(const singa::LayerProto& conf, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 2);
    steps_ = in[0]->data.rows();
    dim_ = in[0]->data.row_size();
    if (in[1]->data.row_size() != kColumns || in[1]->data.rows() != steps_ + 1)
      throw ConfigError(
          "srclayers",
          StrCat("must be a kHidden and the kData that it comes from, \"", conf.srclayers(1),
                 "\" has the shape ", in[1]->data.shape().ToString()));
    source_ = conf.srclayers(1);
    vocab_size_ = conf.GetExtension(loss_conf).vocab_size();
    nclass_ = conf.GetExtension(loss_conf).nclass();
    if (vocab_size_ < 1 || vocab_size_ > kMostWords)
      throw ConfigError("[loss_conf].vocab_size",
                        StrCat("must be from 1 to ", kMostWords, ", is ", vocab_size_));
    if (nclass_ < 1 || nclass_ > vocab_size_)
      throw ConfigError("[loss_conf].nclass",
                        StrCat("must be from 1 to ", vocab_size_, ", the words, is ", nclass_));
    word_weight_ = declare.Param(0, {vocab_size_, dim_});
    class_weight_ = declare.Param(1, {nclass_, dim_});
    declare.InPieces(word_weight_);
    class_p_ = declare.Buffer({steps_, nclass_}, singa::Keep::kForwardToBackward);
    word_p_ = declare.Buffer({steps_, vocab_size_}, singa::Keep::kForwardToBackward);
    loss_ = declare.Metric("loss");
    ppl_ = declare.ExponentialMetric("ppl");
    out[0]->data.SetShape({steps_});
  }

  singa::Traits traits() const override {
    return {.grad_reads_in = true, .originates_gradient = true};
  }

  void ComputeFeature(singa::Context& ctx, singa::Phase, singa::Inputs in,
                      singa::Outputs out) override {
    const singa::Tensor& words = in[1]->data;
    const float* h = in[0]->data.data();
    CheckWindow(words, source_);
    const int64_t n = WindowLength(words);
    CheckWords(words, n);
    float *class_p = class_p_->data(), *word_p = word_p_->data(), *p = out[0]->data.data();
    singa::Gemm(ctx, n, nclass_, dim_, 1, {h, dim_},
                singa::Transposed(class_weight_->data.data(), dim_), 0, class_p, nclass_);
    std::fill_n(p, steps_, 0.f);
    double sum = 0;
    for (int64_t t = 0; t < n; ++t, class_p += nclass_) {
      const Target target(words, t);
      singa::Gemm(ctx, 1, target.size, dim_, 1, {h + t * dim_, dim_},
                  singa::Transposed(word_weight_->data.data() + target.first * dim_, dim_), 0,
                  word_p, target.size);
      const double loss = Softmax(class_p, nclass_, target.class_index) +
                          Softmax(word_p, target.size, target.place);
      p[t] = static_cast<float>(std::exp(-loss));
      sum += loss;
      word_p += target.size;  // one word's behind the other's
    }
    loss_->Add(sum, static_cast<double>(n));
    ppl_->Add(sum, static_cast<double>(n));
  }

  void ComputeGradient(singa::Context& ctx, singa::Inputs in, singa::Outputs) override {
    const singa::Tensor &words = in[1]->data, &h = in[0]->data;
    const int64_t n = WindowLength(words);
    float *class_p = class_p_->data(), *word_p = word_p_->data();
    for (int64_t t = 0; t < n; ++t) {  // from here on they are gradients of the scores
      const Target target(words, t);
      class_p[t * nclass_ + target.class_index] -= 1;
      word_p[target.place] -= 1;
      word_p += target.size;
    }
    // Before any weight changes.
    if (!in[0]->grad.empty()) HiddenGradient(ctx, words, n, in[0]->grad.data());
    if (!class_weight_->grad.empty())
      singa::Gemm(ctx, nclass_, dim_, n, 1, singa::Transposed(class_p, nclass_), {h.data(), dim_},
                  class_weight_->beta(), class_weight_->grad.data(), dim_);
    const auto rows = [&](singa::Context& own, int64_t first, int64_t count, float* piece) {
      AddWordRows(own, words, h.data(), first, count, 0, piece);
    };
    if (word_weight_->sink)
      word_weight_->sink->Consume(word_weight_, std::ref(rows));
    else if (!word_weight_->grad.empty())
      AddWordRows(ctx, words, h.data(), 0, vocab_size_, word_weight_->beta(),
                  word_weight_->grad.data());
  }

 private:
  // That the params have a row for each class and word.
  void CheckWords(const singa::Tensor& words, int64_t n) const {
    for (int64_t t = 0; t < n; ++t) {
      const Target target(words, t);
      if (target.class_index >= nclass_)
        throw ConfigError("[loss_conf].nclass", StrCat("must be > ", target.class_index,
                                                       ", a class of the data, is ", nclass_));
      if (target.first + target.size > vocab_size_)
        throw ConfigError("[loss_conf].vocab_size",
                          StrCat("must be >= ", target.first + target.size, ", where class ",
                                 target.class_index, " of the data ends, is ", vocab_size_));
    }
  }

  void HiddenGradient(singa::Context& ctx, const singa::Tensor& words, int64_t n, float* dh) const {
    singa::Gemm(ctx, n, dim_, nclass_, 1, {class_p_->data(), nclass_},
                {class_weight_->data.data(), dim_}, 0, dh, dim_);
    const float* word_p = word_p_->data();
    for (int64_t t = 0; t < n; ++t) {
      const Target target(words, t);
      singa::Gemm(ctx, 1, dim_, target.size, 1, {word_p, target.size},
                  {word_weight_->data.data() + target.first * dim_, dim_}, 1, dh + t * dim_, dim_);
      word_p += target.size;
    }
    std::fill(dh + n * dim_, dh + steps_ * dim_, 0);
  }

  // Rows [first, first + count) of the word weight's gradient: dv = beta dv + this window's.
  void AddWordRows(singa::Context& ctx, const singa::Tensor& words, const float* h, int64_t first,
                   int64_t count, float beta, float* dv) const {
    if (beta == 0) std::fill_n(dv, count * dim_, 0.f);
    const float* word_p = word_p_->data();
    const int64_t n = WindowLength(words);
    for (int64_t t = 0; t < n; ++t) {
      const Target target(words, t);
      const int64_t begin = std::max(first, target.first);
      const int64_t end = std::min(first + count, target.first + target.size);
      if (begin < end)
        singa::Gemm(ctx, end - begin, dim_, 1, 1, {word_p + begin - target.first, 1},
                    {h + t * dim_, dim_}, 1, dv + (begin - first) * dim_, dim_);
      word_p += target.size;
    }
  }

  std::string source_;  // of the words
  int64_t steps_ = 0, dim_ = 0, vocab_size_ = 0, nclass_ = 0;
  singa::Param *word_weight_ = nullptr, *class_weight_ = nullptr;
  singa::Tensor* class_p_ = nullptr;  // [n, nclass]
  singa::Tensor* word_p_ = nullptr;   // of each word those of its class, without gaps
  singa::Metric *loss_ = nullptr, *ppl_ = nullptr;
};
SINGA_REGISTER_LAYER(kLoss, LossLayer);

}  // namespace
}  // namespace rnnlm
