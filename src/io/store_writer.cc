#include "io/store_writer.h"

#include <charconv>
#include <cstdio>
#include <utility>

#include "io/kv_tuple.h"
#include "io/new_file.h"
#include "io/value_parser.h"
#include "singa/base/str_cat.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class KvFileWriter final : public StoreWriter {
 public:
  KvFileWriter(const WriterOptions& options, FileSystem* files)
      : options_(options), file_(files, options.path) {}

  void Write(const Sample& sample) override {
    record_.Clear();
    const std::span<const int32_t> shape =
        options_.shape.empty() ? sample.shape : std::span<const int32_t>(options_.shape);
    for (int32_t size : shape) record_.add_shape(size);
    if (options_.has_label && sample.label >= 0) record_.set_label(sample.label);
    if (sample.data.empty())
      record_.set_pixel(sample.pixel.data(), sample.pixel.size());
    else
      record_.mutable_data()->Add(sample.data.begin(), sample.data.end());
    char key[24];
    const int length = std::snprintf(key, sizeof(key), "%08lld", static_cast<long long>(next_++));
    file_.Write(KvTuple({key, static_cast<size_t>(length)}, record_.SerializeAsString()));
  }

  void Finish() override { file_.Commit(); }

 private:
  const WriterOptions options_;
  NewFile file_;
  RecordProto record_;
  int64_t next_ = 0;
};

class CsvWriter final : public StoreWriter {
 public:
  CsvWriter(const WriterOptions& options, FileSystem* files)
      : has_label_(options.has_label), file_(files, options.path) {}

  void Write(const Sample& sample) override {
    line_.clear();
    if (has_label_) Put(sample.label);
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

std::string IdxHeaderBytes(const std::vector<int32_t>& dims) {
  std::string bytes = {0, 0, 8, static_cast<char>(dims.size())};
  for (int32_t d : dims)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(d >> shift);
  return bytes;
}

class IdxWriter final : public StoreWriter {
 public:
  IdxWriter(const WriterOptions& options, FileSystem* files) : images_(files, options.path) {
    std::vector<int32_t> dims = {static_cast<int32_t>(options.records)};
    dims.insert(dims.end(), options.shape.begin(), options.shape.end());
    images_.Write(IdxHeaderBytes(dims));
    if (!options.has_label) return;
    labels_ = std::make_unique<NewFile>(files, options.label_path);
    labels_->Write(IdxHeaderBytes({dims[0]}));
  }

  void Write(const Sample& sample) override {
    if (sample.data.empty()) {
      images_.Write(AsText(sample.pixel));
    } else {
      bytes_.clear();
      for (float x : sample.data) bytes_.push_back(ToByte(x, "number"));
      images_.Write(AsText(bytes_));
    }
    if (!labels_) return;
    const uint8_t label = ToByte(static_cast<float>(sample.label), "label");
    labels_->Write(AsText({&label, 1}));
  }

  void Finish() override {
    images_.Commit();
    if (labels_) labels_->Commit();
  }

 private:
  static uint8_t ToByte(float x, const char* what) {
    if (!(x >= 0 && x <= 255 && x == static_cast<float>(static_cast<uint8_t>(x))))
      throw ValueError(StrCat("idx holds bytes; the ", what, " ", x, " is none"));
    return static_cast<uint8_t>(x);
  }

  NewFile images_;
  std::unique_ptr<NewFile> labels_;
  std::vector<uint8_t> bytes_;
};

}  // namespace

std::unique_ptr<StoreWriter> NewStoreWriter(const std::string& format, const WriterOptions& options,
                                            FileSystem* files) {
  if (format == "kvfile") return std::make_unique<KvFileWriter>(options, files);
  if (format == "textfile") return std::make_unique<CsvWriter>(options, files);
  if (format == "idx") return std::make_unique<IdxWriter>(options, files);
  return nullptr;
}

}  // namespace singa
