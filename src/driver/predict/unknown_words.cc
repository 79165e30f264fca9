#include "driver/predict/unknown_words.h"

#include <glog/logging.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/text/counted.h"
#include "io/table/csv_fields.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class UnknownWordSource final : public RecordSource {
 public:
  explicit UnknownWordSource(std::unique_ptr<RecordSource> source) : source_(std::move(source)) {}
  ~UnknownWordSource() override { Warn(); }

  const Sample* Next() override {
    const Sample* const sample = source_->Next();
    if (!sample) {
      Warn();
      return nullptr;
    }
    for (const UnknownWord& word : sample->unknown_words) {
      auto [it, added] = columns_.try_emplace(word.column);
      if (added) it->second.first = StrCat(Where(), ": ", word.place, " is ", FieldText(word.word));
      ++it->second.count;
    }
    return sample;
  }
  std::string Name() const override { return source_->Name(); }
  std::string Where() const override { return source_->Where(); }

 private:
  struct Found {
    std::string first;  // says where the first unknown word is
    int64_t count = 0;
  };

  void Warn() {
    for (const auto& [column, found] : columns_)
      LOG(WARNING) << Printable(StrCat(found.first, ", which the job does not list: it is read as ",
                                       "a gap; the column has ",
                                       Counted(found.count, "such word")));
    columns_.clear();
  }

  const std::unique_ptr<RecordSource> source_;
  std::map<int64_t, Found> columns_;  // with unknown words, by the index from 0
};

}  // namespace

std::unique_ptr<RecordSource> WarnOfUnknownWords(std::unique_ptr<RecordSource> source) {
  return std::make_unique<UnknownWordSource>(std::move(source));
}

}  // namespace singa
