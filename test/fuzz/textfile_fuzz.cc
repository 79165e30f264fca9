// Reads a file of the bytes as a textfile: of numbers, with targets, with a header, of image files.
#include "file_of_bytes.h"
#include "read_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const singa::FileOfBytes file(data, size);
  singa::ReadStore("textfile", {.path = file.path(), .separator = ", "});
  singa::ReadStore("textfile", {.path = file.path(), .separator = ", ", .targets = 2});
  const singa::StoreOptions table = {
      .path = file.path(), .targets = 2, .header = true, .label_column = "b", .warns = false};
  singa::ReadStore("textfile", table);
  singa::ReadStore("textfile", {.path = file.path(), .label_column = "3"});
  singa::ReadStore("textfile", {.path = file.path(), .class_names = {"a", "1"}});
  singa::ReadStore("textfile", {.path = file.path(), .encoded = true});
  return 0;
}
