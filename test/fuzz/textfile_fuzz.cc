// Reads a file of the bytes as a textfile: of numbers, with targets, with a header, of image files.
#include "file_of_bytes.h"
#include "io/table/guess_columns.h"
#include "io/value_error.h"
#include "read_store.h"
#include "singa/base/error.h"

namespace {

// Reads a table as its content suggests.
void ReadAsGuessed(singa::StoreOptions table) {
  try {
    table.columns = singa::WithoutReasons(singa::GuessColumns(table));
  } catch (const singa::Error&) {
  } catch (const singa::ValueError&) {
  }
  singa::ReadStore("textfile", table);
}

}  // namespace

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
  ReadAsGuessed({.path = file.path(), .label_column = "2"});
  ReadAsGuessed({.path = file.path(), .header = true, .warns = false});
  return 0;
}
