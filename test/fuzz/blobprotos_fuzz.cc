// Reads any bytes as BlobProtos. They are refused with DataError, or by protobuf's own parser
// (which takes no tags longer than need be), or read as that parser reads them. The values must be
// the same after writing and reading again.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "io/checkpoint/blob_protos.h"
#include "memory_file.h"
#include "singa/base/error.h"
#include "singa/proto/common.pb.h"

namespace singa {
namespace {

void Require(bool fact) {
  if (!fact) std::abort();
}

void Check(const uint8_t* data, size_t size) {
  const std::vector<Blob> blobs = ParseBlobProtos(std::as_bytes(std::span(data, size)), "fuzz");
  MemoryFile file;
  for (const Blob& blob : blobs) WriteBlob(blob.name, blob.version, blob.shape, blob.values, &file);
  const std::vector<Blob> again = ParseBlobProtos(std::as_bytes(std::span(file.text)), "again");
  Require(again.size() == blobs.size());
  for (size_t i = 0; i < blobs.size(); ++i)
    Require(again[i].name == blobs[i].name && again[i].shape == blobs[i].shape);

  BlobProtos message;
  if (!message.ParseFromArray(data, static_cast<int>(size))) return;
  Require(static_cast<size_t>(message.blob_size()) == blobs.size());
  for (int i = 0; i < message.blob_size(); ++i) {
    const Blob& blob = blobs[i];
    const BlobProto& same = message.blob(i);
    Require(blob.name == message.name(i));
    Require(blob.version == (i < message.version_size() ? message.version(i) : 0));
    Require(blob.shape.dims() == same.shape_size());
    for (int d = 0; d < same.shape_size(); ++d) Require(blob.shape[d] == same.shape(d));
    Require(blob.values.size() == static_cast<size_t>(same.data_size()));
    Require(blob.values.empty() || std::memcmp(blob.values.data(), same.data().data(),
                                               blob.values.size() * sizeof(float)) == 0);
  }
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    singa::Check(data, size);
  } catch (const singa::DataError&) {
  }
  return 0;
}
