#include "io/store/convert_store.h"

#include "io/value_error.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void SetOptions(Store* from, WriterOptions* options) {
  options->records = from->size();
  options->has_label = options->has_label && from->Read(0).has_label();
  options->classes = from->classes();
  if (!options->encoded && options->shape.empty()) options->shape = RecordShape(from);
}

}  // namespace

void ConvertStore(Store* from, const std::string& format, WriterOptions options,
                  FileSystem* files) {
  const bool wants_label = options.has_label;
  SetOptions(from, &options);
  const std::vector<int64_t> shape(options.shape.begin(), options.shape.end());
  const auto to = NewStoreWriter(format, options, files);
  for (int64_t i = 0; i < options.records; ++i) {
    const Sample& sample = from->Read(i);
    if (sample.size() == 0) throw DataError(from->Where(i), -1, "holds no numbers");
    const std::string misfit = options.encoded ? "" : sample.Misfit(shape, "the shape says");
    if (!misfit.empty()) throw DataError(from->Where(i), -1, misfit);
    if (!sample.targets.empty() && !WriterTraitsOf(format).targets)
      throw DataError(from->Where(i), -1, StrCat("has targets, which a ", format, " cannot hold"));
    if (options.has_label && !sample.has_label())
      throw DataError(from->Where(i), -1, "has no label, others have");
    if (wants_label && !options.has_label && sample.has_label())
      throw DataError(from->Where(i), -1, "has a label, others have none");
    try {
      to->Write(sample);
    } catch (const ValueError& error) {
      throw DataError(from->Where(i), -1, error.what());
    }
  }
  to->Finish();
}

}  // namespace singa
