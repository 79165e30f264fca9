// Opens a file of the bytes as a textfile, once as CSV and once as records, and reads every line.
#include "file_of_bytes.h"
#include "io/store.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace singa;
  const FileOfBytes file(data, size);
  StoreOptions options;
  options.path = file.path();
  options.separator = ", ";
  for (const ValueFormat format : {ValueFormat::kRecord, ValueFormat::kCsv}) {
    options.format = format;
    try {
      const auto store = OpenStore("textfile", options);
      (void)store->name();
      for (int64_t i = 0; i < store->size(); ++i) {
        try {
          store->Read(i);
        } catch (const DataError&) {
        }
      }
    } catch (const DataError&) {
    }
  }
  return 0;
}
