// Feeds bytes to the textfile store, once as CSV and once as records, and reads every line.
#include "io/textfile_store.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace singa;
  const std::vector<uint8_t> bytes(data, data + size);
  for (const bool csv : {false, true}) {
    try {
      const auto store = NewTextFileStore(InputFile::FromMemory("text", bytes),
                                          csv ? NewCsvParser(", ", true) : NewTextRecordParser({}));
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
