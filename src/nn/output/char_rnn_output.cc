// kCharRNNOutput prints to stdout only the character of each row's index, row after row and step
// after step. The first worker of a group prints the rows of all workers. Its feature is the
// indices: (rows).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "io/vocabulary.h"
#include "nn/feature/row_index.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

class CharRnnOutputLayer final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override {
    return {.writes_file = true, .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    writes_ = conf.partition_id() == 0;
    declare.Sources(in, 1);
    name_ = conf.name();
    RequireIndices(conf, *in[0]);
    path_ = conf.char_rnn_conf().vocab_path();
    if (path_.empty()) throw ConfigError("char_rnn_conf.vocab_path", "must be set");
    declare.File("char_rnn_conf.vocab_path", path_);
    out[0]->data.SetShape({in[0]->data.rows()});
  }

  void Open(Context&) override { vocabulary_.emplace(path_); }

  Traits traits() const override { return {.checks = 1}; }

  void CheckInputs(Phase, Inputs in) override {
    CheckIndices(name_, *in[0], vocabulary_->size(), false);
  }

  void ComputeFeature(Context&, Phase, Inputs in, Outputs out) override {
    if (!writes_) return;
    const float* index = in[0]->data.data();
    const int64_t rows = in[0]->data.rows();
    std::copy_n(index, rows, out[0]->data.data());
    std::string text;
    for (int64_t r = 0; r < rows; ++r) text += vocabulary_->Character(static_cast<int>(index[r]));
    // Flush each step, as a person may be reading along.
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0)
      throw FileError(kExitIo, "stdout", std::strerror(errno));
  }

 private:
  bool writes_ = true;  // false: not the first worker of its group
  std::string name_, path_;
  std::optional<Vocabulary> vocabulary_;
};

SINGA_REGISTER_LAYER(kCharRNNOutput, CharRnnOutputLayer);

}  // namespace
}  // namespace singa
