// Reads a file of the bytes as a tar of pictures, decoded and as they are. If the first byte is
// 0xfe, reads it as a picture in a folder of its class.
#include "file_of_bytes.h"
#include "folder_of_bytes.h"
#include "read_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0 && data[0] == 0xfe) {
    const singa::FolderOfBytes folder("class/x.png", data + 1, size - 1);
    singa::ReadStore("imagefolder", {.path = folder.path()});
    return 0;
  }
  const singa::FileOfBytes file(data, size);
  singa::ReadStore("imagefolder", {.path = file.path(), .channels = 1});
  singa::ReadStore("imagefolder", {.path = file.path(), .raw_files = true});
  return 0;
}
