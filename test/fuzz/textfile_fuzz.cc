// Reads a file of the bytes as a textfile: of numbers, with targets, of image files.
#include "file_of_bytes.h"
#include "read_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const singa::FileOfBytes file(data, size);
  singa::ReadStore("textfile", {.path = file.path(), .separator = ", "});
  singa::ReadStore("textfile", {.path = file.path(), .separator = ", ", .targets = 2});
  singa::ReadStore("textfile", {.path = file.path(), .encoded = true});
  return 0;
}
