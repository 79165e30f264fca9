// kCharRNN reads windows of a text. The text is cut into segments, which are the rows of the batch.
// Output l is the index in the vocabulary of the l-th character of each row's window. Time step t
// of a reader reads output t, and kRNNLabel output t + 1; there is one more output than time steps.
//   data: (rows)
// Each step takes the next window; after the last window the text begins again. With `shuffle` the
// windows of a training begin at random places of the whole part instead. Worker i of K takes
// segments [i B / K, (i + 1) B / K) of B. G worker groups have G B segments; those of group g begin
// at g B.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/reader/text_windows.h"
#include "nn/feature/own_rows.h"
#include "singa/base/error.h"
#include "singa/nn/layer.h"
#include "singa/nn/record_reader.h"

namespace singa {
namespace {

class CharRnnLayer final : public Layer, public RecordReader {
 public:
  Wiring wiring(const LayerProto& conf) const override {
    constexpr int kMost = 99999;
    const int steps = conf.char_rnn_conf().unroll_len();
    if (steps < 1 || steps > kMost)
      throw ConfigError("char_rnn_conf.unroll_len",
                        StrCat("must be from 1 to ", kMost, ", is ", steps));
    return {.num_outputs = steps + 1,
            .outputs_are_steps = true,
            .steps_ahead = 1,
            .steps_field = "char_rnn_conf.unroll_len",
            .is_input = true,
            .differentiable = false};
  }

  void Setup(const LayerProto& conf, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 0);
    try {
      name_ = conf.name();
      SetText(conf.char_rnn_conf());
      SetRows(conf, declare);
    } catch (const ConfigError& error) {
      throw error.Under("char_rnn_conf");
    }
    declare.File("char_rnn_conf.path", options_.path);
    declare.File("char_rnn_conf.vocab_path", options_.vocabulary);
    for (size_t l = 0; l < out.size(); ++l) {
      out[l]->data.SetShape({rows_.rows});
      out[l]->span = rows_;
      out[l]->span.first_step = static_cast<int64_t>(l);
    }
  }

  void Prepare(Context&, Declare& declare, Inputs, Outputs) override {
    declare.Keeps(TextWindows::Bytes(options_));
  }

  void Open(Context&) override { text_.emplace(options_); }

  void ComputeFeature(Context& ctx, Phase phase, Inputs, Outputs out) override {
    const int64_t window = step_++ % text_->windows();
    const bool anywhere = shuffle_ && (phase & kTrain) != 0;
    const Philox draw = anywhere ? ctx.Random(name_) : Philox();
    for (int64_t r = 0; r < rows_.rows; ++r) {
      const int64_t segment = first_ + r;
      begins_[r] = anywhere ? static_cast<int64_t>(draw.Below(segment, text_->begins()))
                            : text_->BeginOf(segment, window);
      const uint8_t* characters = text_->At(begins_[r]);
      for (size_t l = 0; l < out.size(); ++l) out[l]->data.data()[r] = characters[l];
    }
  }

  RecordReader* reader() override { return this; }

  int64_t BatchSize(const LayerProto& conf) const override {
    return conf.char_rnn_conf().batchsize();
  }
  // Does nothing: the number of rows is that of the text's segments.
  void SetBatchSize(int32_t, LayerProto*) const override {}
  std::string VocabularyPath(const LayerProto& conf) const override {
    return conf.char_rnn_conf().vocab_path();
  }

  // Returns the number of windows read of each segment, that is, of steps.
  int64_t Position() const override { return step_; }
  void Seek(int64_t position) override { step_ = position; }
  int64_t Stride() const override { return 1; }
  // Counts one segment's window as a record.
  int64_t CountRecords() override {
    if (!text_) text_.emplace(options_);
    return text_->windows() * rows_.batch;
  }

  int64_t LargestIndex() override {
    if (!text_) text_.emplace(options_);
    return shuffle_ ? text_->LargestAnywhere() : text_->Largest();
  }

  // Returns the byte of the row's character in the text as the record.
  std::pair<std::string, int64_t> RecordOfRow(int64_t row) const override {
    if (!text_ || step_ == 0) return {"", -1};
    return {options_.path, text_->PlaceInFile(begins_[row % rows_.rows]) + row / rows_.rows};
  }

 private:
  void SetText(const CharRNNProto& conf) {
    if (conf.path().empty()) throw ConfigError("path", "must be set");
    if (conf.vocab_path().empty()) throw ConfigError("vocab_path", "must be set");
    if (!(conf.begin() >= 0 && conf.begin() < 1))
      throw ConfigError("begin", StrCat("must be >= 0 and < 1, is ", conf.begin()));
    if (!(conf.end() > conf.begin() && conf.end() <= 1))
      throw ConfigError("end",
                        StrCat("must be > begin, ", conf.begin(), ", and <= 1, is ", conf.end()));
    options_ = {.path = conf.path(),
                .vocabulary = conf.vocab_path(),
                .begin = conf.begin(),
                .end = conf.end(),
                .segments = conf.batchsize(),
                .length = conf.unroll_len()};
    shuffle_ = conf.shuffle();
  }

  // Sets the worker's rows of the group's batch, and the group's segments of the text.
  void SetRows(const LayerProto& conf, const Declare& declare) {
    const int64_t batch = options_.segments;
    if (batch < 1) throw ConfigError("batchsize", StrCat("must be >= 1, is ", batch));
    rows_ = OwnRows(conf, "batchsize", batch);
    first_ = declare.group() * batch + rows_.first;
    begins_.assign(rows_.rows, 0);
    options_.segments = declare.groups() * batch;
  }

  std::string name_;
  TextOptions options_;
  bool shuffle_ = false;
  RowSpan rows_;
  int64_t first_ = 0;            // first of the worker's segments
  int64_t step_ = 0;             // windows read
  std::vector<int64_t> begins_;  // of the rows' last windows
  std::optional<TextWindows> text_;
};

SINGA_REGISTER_LAYER(kCharRNN, CharRnnLayer);

}  // namespace
}  // namespace singa
