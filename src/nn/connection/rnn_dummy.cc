// kRNNDummy is the first layer of a net that reads its own output. It gives the feature of
// dynamic_srclayer for the batch before. A pass begins with the characters of `prime`, one for each
// batch; without `prime` the first batch is random, of U[low, high). Without dynamic_srclayer every
// batch after `prime` is random. A pass may go back by up to RepeatedSteps(window) batches, which
// were given before and come again, unchanged.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/text/element_path.h"
#include "io/vocabulary.h"
#include "math/random/random_kernels.h"
#include "nn/feature/carried_steps.h"
#include "nn/feature/own_rows.h"
#include "singa/base/error.h"
#include "singa/math/random_fill.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class RnnDummyLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.is_input = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs, Outputs out) override {
    stream_ = name_ = conf.name();
    if (declare.group() > 0) stream_ += StrCat("/group", declare.group());
    conf_ = conf.rnn_dummy_conf();
    if (conf.unroll_len() > 1 || conf.unroll_index() > 0)
      throw ConfigError("unroll_len", "must be 1: each batch is one time step");
    std::vector<int64_t> dims(conf_.shape().begin(), conf_.shape().end());
    for (size_t i = 0; i < dims.size(); ++i)
      if (dims[i] < 1)
        throw ConfigError(ElementPath("rnn_dummy_conf.shape", i),
                          StrCat("must be >= 1, is ", dims[i]));
    if (dims.empty()) throw ConfigError("rnn_dummy_conf.shape", "must be set, batch first");
    if (!conf_.has_high() && conf_.low() > conf_.high())
      throw ConfigError("rnn_dummy_conf.low",
                        StrCat("must be <= high, which is 0 if not set, is ", conf_.low()));
    if (!(conf_.low() <= conf_.high()))
      throw ConfigError("rnn_dummy_conf.high",
                        StrCat("must be >= low, ", conf_.low(), ", is ", conf_.high()));
    CheckPrime(declare);
    declare.Uses(UniformKernel);
    out[0]->span = rows_ = OwnRows(conf, "rnn_dummy_conf.shape", dims[0]);
    dims[0] = rows_.rows;
    out[0]->data.SetShape(Shape(std::span<const int64_t>(dims)));
  }

  Traits traits() const override { return {.needs_no_reader = true}; }

  void Prepare(Context&, Declare& declare, Inputs in, Outputs out) override {
    declare.Keeps(static_cast<int64_t>(KeptBatches()) * out[0]->data.bytes());
    if (in.empty() || in[0]->data.size() == out[0]->data.size()) return;
    throw ConfigError("rnn_dummy_conf.shape", StrCat("is ", out[0]->data.shape().ToString(),
                                                     ", layer \"", conf_.dynamic_srclayer(),
                                                     "\" gives ", in[0]->data.shape().ToString()));
  }

  void Open(Context&) override {
    if (conf_.prime().empty()) return;
    const Vocabulary vocabulary(conf_.vocab_path());
    for (unsigned char byte : conf_.prime()) {
      const int index = vocabulary.IndexOf(byte);
      if (index < 0)
        throw DataError(
            conf_.vocab_path(), -1,
            StrCat("lacks ", CharacterText(byte), ", which prime of layer \"", name_, "\" has"));
      prime_.push_back(static_cast<float>(index));
    }
  }

  void BeginPass(Context&, int64_t batches_before) override {
    batch_ = static_cast<size_t>(batches_before);
    // A pass that goes back farther than batches are kept is a new one.
    if (batch_ == 0 || given_ > batch_ + KeptBatches()) given_ = batch_;
  }

  void ComputeFeature(Context& ctx, Phase, Inputs in, Outputs out) override {
    Tensor& y = out[0]->data;
    if (batch_ < given_)
      std::memcpy(y.data(), KeptBatch(y.size()), y.bytes());
    else
      ComputeNext(ctx, in, &y);
    ++batch_;
    given_ = std::max(given_, batch_);
  }

 private:
  // Gives a batch for the first time, and keeps it.
  void ComputeNext(Context& ctx, Inputs in, Tensor* to) {
    Tensor& y = *to;
    if (batch_ < prime_.size())
      std::fill_n(y.data(), y.size(), prime_[batch_]);
    else if (batch_ == 0 || in.empty())
      Draw(ctx, &y);
    else
      std::memcpy(y.data(), in[0]->data.data(), y.bytes());
    if (KeptBatches() > 0) std::memcpy(KeptBatch(y.size()), y.data(), y.bytes());
  }

  // Returns how many batches are kept: those that come again, and the next one, which may be given
  // before the pass goes back.
  size_t KeptBatches() const {
    return conf_.has_window() ? static_cast<size_t>(RepeatedSteps(conf_.window())) + 1 : 0;
  }
  // Returns where batch_, of `size` numbers, is kept.
  float* KeptBatch(int64_t size) {
    const size_t batches = std::max<size_t>(KeptBatches(), 1);
    kept_.resize(batches * size);
    return kept_.data() + batch_ % batches * size;
  }

  void CheckPrime(Declare& declare) const {
    if (conf_.prime().empty()) return;
    if (conf_.vocab_path().empty())
      throw ConfigError("rnn_dummy_conf.vocab_path",
                        "must be set: prime is made of its characters");
    declare.File("rnn_dummy_conf.vocab_path", conf_.vocab_path());
  }

  void Draw(Context& ctx, Tensor* y) const {
    const uint64_t row = batch_ * rows_.batch + rows_.first;
    FillUniform(ctx, ctx.Random(stream_), row * y->row_size(), y->size(), conf_.low(), conf_.high(),
                y->data());
    if (!conf_.integer()) return;
    for (int64_t i = 0; i < y->size(); ++i) y->data()[i] = std::floor(y->data()[i]);
  }

  std::string name_, stream_;
  RowSpan rows_;
  RNNDummyProto conf_;
  std::vector<float> prime_;
  size_t batch_ = 0;         // number of the batch in this pass
  size_t given_ = 0;         // batches that were given before
  std::vector<float> kept_;  // the last KeptBatches of them
};
SINGA_REGISTER_LAYER(kRNNDummy, RnnDummyLayer);

}  // namespace
}  // namespace singa
