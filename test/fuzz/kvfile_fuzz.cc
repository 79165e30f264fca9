// Reads a file of the bytes as a kvfile: of numbers, of image files, of Records.
#include <glog/logging.h>

#include "file_of_bytes.h"
#include "read_store.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FLAGS_minloglevel = google::ERROR;
  const singa::FileOfBytes file(data, size);
  // The first byte 0xfe stands for a file that does not exist, nor at v0.3's second place.
  const bool missing = size > 0 && data[0] == 0xfe;
  const std::string path = missing ? "/nowhere" : file.path();
  singa::ReadStore("kvfile", {.path = path});
  singa::ReadStore("kvfile", {.path = path, .encoded = true});
  singa::ReadStore("shard", {.path = path});
  return 0;
}
