// Format "textfile" writes lines of CSV, the label or the targets first.
#include <charconv>

#include "io/file/new_file.h"
#include "io/store/store_writer.h"
#include "io/value_error.h"

namespace singa {
namespace {

class CsvWriter final : public StoreWriter {
 public:
  CsvWriter(const WriterOptions& options, FileSystem* files)
      : has_label_(options.has_label), file_(files, options.path) {}

  void Write(const Sample& sample) override {
    line_.clear();
    if (has_label_ && !sample.targets.empty())
      throw ValueError("has a label and targets; a line begins with one of them");
    if (has_label_) Put(sample.label);
    for (float target : sample.targets) Put(target);
    if (sample.data.empty())
      for (uint8_t x : sample.pixel) Put(int{x});
    else
      for (float x : sample.data) Put(x);
    line_.back() = '\n';
    file_.Write(line_);
  }

  void Finish() override { file_.Commit(); }

 private:
  template <typename T>
  void Put(T number) {
    char text[32];
    const auto result = std::to_chars(text, text + sizeof(text), number);
    line_.append(text, result.ptr);
    line_ += ',';
  }

  const bool has_label_;
  NewFile file_;
  std::string line_;
};

std::unique_ptr<StoreWriter> NewTextFileWriter(const WriterOptions& options, FileSystem* files) {
  return std::make_unique<CsvWriter>(options, files);
}

SINGA_REGISTER_STORE_WRITER(textfile, NewTextFileWriter, .suffix = ".csv", .targets = true);

}  // namespace
}  // namespace singa
