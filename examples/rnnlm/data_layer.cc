// kData: the windows of a text, one a step. data: (max_window + 1, 4), see words.h.
//
// A window ends after max_window words or after </s>, whichever comes first. The text is in memory;
// after its last window it begins again.
#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "rnnlm.pb.h"
#include "singa/base/error.h"
#include "singa/io/kvfile.h"
#include "singa/nn/layer.h"
#include "singa/nn/record_reader.h"
#include "words.h"

namespace rnnlm {
namespace {

using singa::ConfigError;
using singa::DataError;
using singa::StrCat;

struct Word {
  int32_t index, class_index, class_start, class_end;
};

constexpr Word kSentenceEnd = {0, 0, 0, 1};  // stands before the first word

// What makes the probabilities of all words add up to 1: each class has one range of words, and no
// two classes share one.
class ClassCheck {
 public:
  ClassCheck(const std::string& file) : file_(file) {}

  // Throws DataError.
  void Add(int64_t record, const Word& word) {
    const Range range = {word.class_start, word.class_end, record};
    const Range& first = classes_.emplace(word.class_index, range).first->second;
    if (first.start != range.start || first.end != range.end)
      throw DataError(
          file_, record,
          StrCat("class ", word.class_index, " has the words [", range.start, ", ", range.end,
                 "), in record ", first.record, " [", first.start, ", ", first.end, ")"));
  }

  void Finish() const {
    std::map<int32_t, int32_t> numbers;  // of classes, by their first word
    for (const auto& [number, range] : classes_) numbers.emplace(range.start, number);
    int32_t end = 0;
    for (const auto& [start, number] : numbers) {
      const Range& range = classes_.at(number);
      if (start < end)
        throw DataError(file_, range.record,
                        StrCat("class ", number, " has the words [", start, ", ", range.end,
                               "), but the class before has those up to ", end - 1));
      end = range.end;
    }
    for (const auto& [number, range] : classes_)
      if (numbers.at(range.start) != number)
        throw DataError(
            file_, range.record,
            StrCat("class ", number, " has the words of class ", numbers.at(range.start)));
  }

 private:
  struct Range {
    int32_t start, end;
    int64_t record;  // that said so first
  };
  const std::string file_;
  std::map<int32_t, Range> classes_;
};

// Throws DataError, FileError.
std::vector<Word> ReadWords(const std::string& path) {
  singa::KvFileReader file(path);
  ClassCheck classes(file.name());
  std::vector<Word> words(file.size());
  WordRecord record;
  for (int64_t i = 0; i < file.size(); ++i) {
    const std::string_view value = file.Value(i);
    if (!record.ParseFromArray(value.data(), static_cast<int>(value.size())))
      throw DataError(file.name(), i, StrCat("its ", value.size(), " bytes are no WordRecord"));
    if (!record.has_word_index() || !record.has_class_index() || !record.has_class_end())
      throw DataError(file.name(), i, "lacks word_index, class_index or class_end");
    words[i] = {record.word_index(), record.class_index(), record.class_start(),
                record.class_end()};
    const Word& word = words[i];
    if (word.class_index < 0 || word.class_start < 0 || word.index < word.class_start ||
        word.index >= word.class_end || word.class_end > kMostWords)
      throw DataError(
          file.name(), i,
          StrCat("word ", word.index, " of class ", word.class_index, ", which has the words [",
                 word.class_start, ", ", word.class_end,
                 "); allowed are classes from 0, words within their class, to ", kMostWords - 1));
    classes.Add(i, word);
  }
  classes.Finish();
  return words;
}

class DataLayer final : public singa::Layer, public singa::RecordReader {
 public:
  singa::Wiring wiring(const singa::LayerProto&) const override {
    return {.is_input = true, .differentiable = false};
  }

  void Setup(const singa::LayerProto& conf, singa::Declare& declare, singa::Inputs in,
             singa::Outputs out) override {
    declare.Sources(in, 0);
    if (!conf.HasExtension(data_conf)) throw ConfigError("[data_conf]", "must be set");
    const DataConf& data = conf.GetExtension(data_conf);
    if (data.path().empty()) throw ConfigError("[data_conf].path", "must be set");
    if (data.max_window() < 1 || data.max_window() > kMostWindow)
      throw ConfigError("[data_conf].max_window",
                        StrCat("must be from 1 to ", kMostWindow, ", is ", data.max_window()));
    if (data.backend() != "kvfile")
      throw ConfigError("[data_conf].backend",
                        StrCat("must be \"kvfile\", is \"", data.backend(), "\""));
    path_ = data.path();
    max_window_ = data.max_window();
    declare.File("[data_conf].path", path_);
    out[0]->data.SetShape({max_window_ + 1, kColumns});
    out[0]->span = {.first = 0, .rows = 1, .batch = 1};  // a window is a record of the batch
  }

  void Prepare(singa::Context&, singa::Declare& declare, singa::Inputs, singa::Outputs) override {
    std::error_code error;  // a word takes more bytes in the file than in memory
    const std::uintmax_t bytes = std::filesystem::file_size(path_, error);
    if (!error) declare.Keeps(static_cast<int64_t>(bytes));
  }

  void Open(singa::Context&) override {
    words_ = ReadWords(path_);
    int64_t begin = 0;
    for (int64_t i = 0; i < static_cast<int64_t>(words_.size()); ++i) {
      if (words_[i].index != 0 && i + 1 - begin < max_window_) continue;
      ends_.push_back(begin = i + 1);
    }
    if (begin < static_cast<int64_t>(words_.size())) ends_.push_back(words_.size());
  }

  void ComputeFeature(singa::Context&, singa::Phase, singa::Inputs, singa::Outputs out) override {
    const int64_t window = position_++ % CountRecords();
    const int64_t begin = window == 0 ? 0 : ends_[window - 1];
    float* row = out[0]->data.data();
    std::fill_n(row, out[0]->data.size(), kNoWord);
    for (int64_t i = begin - 1; i < ends_[window]; ++i, row += kColumns) {
      const Word& word = i < 0 ? kSentenceEnd : words_[i];
      row[kWord] = static_cast<float>(word.index);
      row[kClass] = static_cast<float>(word.class_index);
      row[kClassStart] = static_cast<float>(word.class_start);
      row[kClassEnd] = static_cast<float>(word.class_end);
    }
  }

  singa::RecordReader* reader() override { return this; }

  // Counts windows, as CountRecords.
  int64_t Position() const override { return position_; }
  void Seek(int64_t position) override { position_ = position; }
  int64_t Stride() const override { return 1; }
  int64_t CountRecords() override { return static_cast<int64_t>(ends_.size()); }

 private:
  static constexpr int64_t kMostWindow = 10000;

  std::string path_;
  int64_t max_window_ = 0, position_ = 0;
  std::vector<Word> words_;
  std::vector<int64_t> ends_;  // of the windows, in words_
};
SINGA_REGISTER_LAYER(kData, DataLayer);

}  // namespace
}  // namespace rnnlm
