// Feeds bytes to the kvfile store and reads every record.
#include <glog/logging.h>

#include "io/kvfile_store.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace singa;
  FLAGS_minloglevel = google::ERROR;
  try {
    const auto store =
        NewKvFileStore(InputFile::FromMemory("kvfile", {data, data + size}), NewRecordParser());
    for (int64_t i = 0; i < store->size(); ++i) {
      try {
        store->Read(i);
      } catch (const DataError&) {
      }
    }
  } catch (const DataError&) {
  }
  return 0;
}
