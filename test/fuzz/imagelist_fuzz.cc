// Reads a list of the bytes, which lies in a folder of its own: with labels, words as labels,
// targets, or names alone. There is no other file in it.
#include "folder_of_bytes.h"
#include "io/format/guess_backend.h"
#include "read_store.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const singa::FolderOfBytes folder("list", data, size);
  const singa::StoreOptions list = {.path = folder.path() + "/list", .root_folder = folder.path()};
  singa::ReadStore("imagelist", list);
  singa::StoreOptions more = list;
  more.class_names = {"a", "1"};
  singa::ReadStore("imagelist", more);
  more.class_names.clear();
  more.targets = 2;
  singa::ReadStore("imagelist", more);
  more.targets = 0;
  more.has_label = false;
  more.raw_files = true;
  singa::ReadStore("imagelist", more);
  try {
    singa::GuessBackend(list.path);
  } catch (const singa::Error&) {
  }
  return 0;
}
