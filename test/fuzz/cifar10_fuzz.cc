// Reads a file of the bytes as a binary batch of CIFAR-10. If the first byte is 0xfe, also reads it
// from the folder around it.
#include "file_of_bytes.h"
#include "folder_of_bytes.h"
#include "read_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const singa::FileOfBytes file(data, size);
  singa::ReadStore("cifar10", {.path = file.path()});
  if (size == 0 || data[0] != 0xfe) return 0;
  const singa::FolderOfBytes folder("data_batch_1.bin", data + 1, size - 1);
  singa::ReadStore("cifar10", {.path = folder.path()});
  return 0;
}
