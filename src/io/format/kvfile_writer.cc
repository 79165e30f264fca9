// Format "kvfile" writes RecordProtos under keys %08d.
#include "io/file/new_file.h"
#include "io/format/kv_tuple.h"
#include "io/store/store_writer.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

class KvFileWriter final : public StoreWriter {
 public:
  KvFileWriter(const WriterOptions& options, FileSystem* files)
      : options_(options), file_(files, options.path) {}

  void Write(const Sample& sample) override {
    record_.Clear();
    const std::span<const int32_t> shape =
        options_.shape.empty() ? sample.shape : std::span<const int32_t>(options_.shape);
    for (int32_t size : shape) record_.add_shape(size);
    if (options_.has_label && sample.has_label()) record_.set_label(sample.label);
    if (sample.data.empty())
      record_.set_pixel(sample.pixel.data(), sample.pixel.size());
    else
      record_.mutable_data()->Add(sample.data.begin(), sample.data.end());
    record_.mutable_target()->Add(sample.targets.begin(), sample.targets.end());
    file_.Write(KvTuple(RecordKey(next_++), record_.SerializeAsString()));
  }

  void Finish() override { file_.Commit(); }

 private:
  const WriterOptions options_;
  NewFile file_;
  RecordProto record_;
  int64_t next_ = 0;
};

std::unique_ptr<StoreWriter> NewKvFileWriter(const WriterOptions& options, FileSystem* files) {
  return std::make_unique<KvFileWriter>(options, files);
}

SINGA_REGISTER_STORE_WRITER(kvfile, NewKvFileWriter, .image_files = true, .targets = true);

}  // namespace
}  // namespace singa
