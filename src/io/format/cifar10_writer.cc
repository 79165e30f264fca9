// Format "cifar10" writes one binary batch of CIFAR-10.
#include "io/file/new_file.h"
#include "io/format/byte_record.h"
#include "io/format/cifar10_store.h"
#include "io/store/store_writer.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void CheckCifarOptions(const WriterOptions& options) {
  const int64_t numbers = NumbersOf(options.shape);
  if (numbers != kCifar10Record - 1)
    throw ConfigError("", StrCat("cifar10 holds records of 3 x 32 x 32 numbers, not of ", numbers));
  if (!options.has_label) throw ConfigError("", "cifar10 needs labels");
}

class Cifar10Writer final : public StoreWriter {
 public:
  Cifar10Writer(const WriterOptions& options, FileSystem* files) : file_(files, options.path) {}

  void Write(const Sample& sample) override {
    const uint8_t label = bytes_.Label(sample, kCifar10Classes - 1);
    file_.Write(AsText({&label, 1}));
    file_.Write(AsText(bytes_.Numbers(sample)));
  }

  void Finish() override { file_.Commit(); }

 private:
  NewFile file_;
  ByteRecord bytes_{"cifar10"};
};

std::unique_ptr<StoreWriter> NewCifar10Writer(const WriterOptions& options, FileSystem* files) {
  CheckCifarOptions(options);
  return std::make_unique<Cifar10Writer>(options, files);
}

SINGA_REGISTER_STORE_WRITER(cifar10, NewCifar10Writer);

}  // namespace
}  // namespace singa
