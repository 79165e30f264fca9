// Feeds bytes to the idx store. The first byte is the number of next bytes that are a file of
// labels (0: there is none). The rest is the file of images.
#include <algorithm>

#include "io/format/idx_store.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace singa;
  if (size == 0) return 0;
  const size_t labels_size = std::min<size_t>(data[0], size - 1);
  const uint8_t* images_begin = data + 1 + labels_size;
  try {
    std::unique_ptr<InputFile> labels;
    if (labels_size > 0)
      labels =
          std::make_unique<InputFile>(InputFile::FromMemory("labels", {data + 1, images_begin}));
    const auto store = NewIdxStore(InputFile::FromMemory("images", {images_begin, data + size}),
                                   std::move(labels));
    (void)store->name();
    (void)store->Labels();
    store->Read(0);
    store->Read(store->size() - 1);
  } catch (const DataError&) {
  }
  return 0;
}
