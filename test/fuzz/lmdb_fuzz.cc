// Reads a file of the bytes as an LMDB database.
#include "file_of_bytes.h"
#include "read_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const singa::FileOfBytes file(data, size);
  singa::ReadStore("lmdb", {.path = file.path()});
  return 0;
}
