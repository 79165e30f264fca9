// Format "idx" writes MNIST's two files, of images and of labels.
#include "io/file/new_file.h"
#include "io/format/byte_record.h"
#include "io/store/store_writer.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::string IdxHeaderBytes(const std::vector<int32_t>& dims) {
  std::string bytes = {0, 0, 8, static_cast<char>(dims.size())};
  for (int32_t d : dims)
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(d >> shift);
  return bytes;
}

void CheckIdxOptions(const WriterOptions& options) {
  if (options.shape.size() > 3)
    throw ConfigError(
        "", StrCat("idx holds records of at most 3 sizes, not of ", options.shape.size()));
  if (options.records > INT32_MAX)
    throw ConfigError("", StrCat("idx holds at most ", INT32_MAX, " records"));
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
    images_.Write(AsText(bytes_.Numbers(sample)));
    if (!labels_) return;
    const uint8_t label = bytes_.Label(sample, UINT8_MAX);
    labels_->Write(AsText({&label, 1}));
  }

  void Finish() override {
    images_.Commit();
    if (labels_) labels_->Commit();
  }

 private:
  NewFile images_;
  std::unique_ptr<NewFile> labels_;
  ByteRecord bytes_{"idx"};
};

std::unique_ptr<StoreWriter> NewIdxWriter(const WriterOptions& options, FileSystem* files) {
  CheckIdxOptions(options);
  return std::make_unique<IdxWriter>(options, files);
}

SINGA_REGISTER_STORE_WRITER(idx, NewIdxWriter, .label_file = true);

}  // namespace
}  // namespace singa
