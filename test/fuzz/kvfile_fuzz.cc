// Opens a file of the bytes as a kvfile and reads every record.
#include <glog/logging.h>

#include "file_of_bytes.h"
#include "io/store.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace singa;
  FLAGS_minloglevel = google::ERROR;
  const FileOfBytes file(data, size);
  StoreOptions options;
  // One first byte stands for a file that is not there, nor at v0.3's second place.
  options.path = size > 0 && data[0] == 0xfe ? "/nowhere" : file.path();
  for (const ValueFormat format : {ValueFormat::kRecord, ValueFormat::kCsv}) {
    options.format = format;
    try {
      const auto store = OpenStore("kvfile", options);
      (void)store->name();
      for (int64_t i = 0; i < store->size(); ++i) {
        try {
          store->Read(i);
        } catch (const DataError&) {
        }
      }
    } catch (const DataError&) {
    } catch (const FileError&) {
    }
  }
  return 0;
}
