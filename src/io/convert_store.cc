#include "io/convert_store.h"

#include "io/value_parser.h"
#include "singa/base/error.h"

namespace singa {
namespace {

void SetOptions(Store* from, WriterOptions* options) {
  const Sample& first = from->Read(0);
  options->records = from->size();
  options->has_label = options->has_label && first.label >= 0;
  options->classes = from->classes();
  if (options->encoded || !options->shape.empty()) return;
  options->shape.assign(first.shape.begin(), first.shape.end());
  if (options->shape.empty()) options->shape = {static_cast<int32_t>(first.size())};
}

}  // namespace

void ConvertStore(Store* from, const std::string& format, WriterOptions options,
                  FileSystem* files) {
  SetOptions(from, &options);
  const int64_t size = NumbersOf(options.shape);
  const auto to = NewStoreWriter(format, options, files);
  for (int64_t i = 0; i < options.records; ++i) {
    const Sample& sample = from->Read(i);
    if (sample.size() == 0) throw DataError(from->Where(i), -1, "holds no numbers");
    if (!options.encoded && sample.size() != size)
      throw DataError(from->Where(i), -1,
                      StrCat("holds ", sample.size(), " numbers, the shape says ", size));
    if (!options.encoded && !sample.HasSides(options.shape))
      throw DataError(from->Where(i), -1,
                      StrCat("is a picture of ", sample.shape[1], " rows and ", sample.shape[2],
                             " columns, the shape says ", options.shape[options.shape.size() - 2],
                             " and ", options.shape.back()));
    if (options.has_label && sample.label < 0)
      throw DataError(from->Where(i), -1, "has no label, others have");
    try {
      to->Write(sample);
    } catch (const ValueError& error) {
      throw DataError(from->Where(i), -1, error.what());
    }
  }
  to->Finish();
}

}  // namespace singa
