// Feeds bytes to the idx store as images, with as many labels as the header says.
#include "io/idx_store.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace singa;
  const std::vector<uint8_t> bytes(data, data + size);
  for (const bool as_labels : {false, true}) {
    try {
      std::unique_ptr<InputFile> labels;
      if (as_labels) labels = std::make_unique<InputFile>(InputFile::FromMemory("labels", bytes));
      const auto store = NewIdxStore(InputFile::FromMemory("images", bytes), std::move(labels));
      store->Read(0);
      store->Read(store->size() - 1);
    } catch (const DataError&) {
    }
  }
  return 0;
}
