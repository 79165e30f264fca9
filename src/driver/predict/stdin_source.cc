#include "driver/predict/stdin_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text/counted.h"
#include "io/format/textfile_store.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class StdinSource final : public RecordSource {
 public:
  StdinSource(const std::string& separator, int64_t size, bool labels, int64_t targets)
      : separator_(separator), size_(size), labels_(labels), targets_(targets) {}

  const Sample* Next() override {
    do {
      if (!ReadLine()) return nullptr;
    } while (line_.find_first_not_of(" \t\r") == std::string::npos);
    ++record_;
    try {
      if (!parser_) SetParser();
      const Sample& sample = parser_->Parse(line_);
      if (sample.size() != size_)
        throw ValueError(
            StrCat("holds ", Counted(sample.size(), "number"), ", the net takes ", size_));
      return &sample;
    } catch (const ValueError& error) {
      throw DataError(Where(), -1, error.what() + (record_ > 0 ? "" : HeaderAdvice(line_)));
    }
  }
  std::string Name() const override { return StrCat("-:", record_); }
  std::string Where() const override {
    return StrCat("standard input:", line_number_, ": record ", record_);
  }

 private:
  void SetParser() {
    parser_ = NewCsvParser(separator_, false);
    if (labels_ && parser_->Parse(line_).size() == size_ + std::max<int64_t>(1, targets_))
      parser_ = NewCsvParser(separator_, true, targets_);
  }

  bool ReadLine() {
    line_.clear();
    ++line_number_;
    for (int c = getc_unlocked(stdin); c != EOF && c != '\n'; c = getc_unlocked(stdin)) {
      line_ += static_cast<char>(c);
      if (static_cast<int64_t>(line_.size()) > kMaxLineBytes)
        throw DataError(StrCat("standard input:", line_number_), -1,
                        StrCat("a line of more than ", kMaxLineBytes, " bytes"));
    }
    if (line_number_ == 1) line_.erase(0, static_cast<size_t>(ByteOrderMark(line_)));
    if (std::ferror(stdin)) throw FileError(kExitIo, "standard input", std::strerror(errno));
    return !line_.empty() || !std::feof(stdin);
  }

  const std::string separator_;
  const int64_t size_;
  const bool labels_;
  const int64_t targets_;
  std::unique_ptr<ValueParser> parser_;  // null before the first line
  std::string line_;
  int64_t line_number_ = 0, record_ = -1;
};

}  // namespace

std::unique_ptr<RecordSource> NewStdinSource(const std::string& separator, int64_t size,
                                             bool labels, int64_t targets) {
  return std::make_unique<StdinSource>(separator, size, labels, targets);
}

}  // namespace singa
