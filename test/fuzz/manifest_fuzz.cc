// Reads any bytes as a manifest. They are refused with DataError. With a right checksum behind
// them, they are refused or are a manifest that reads the same after writing.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/file/sha256.h"
#include "io/checkpoint/manifest.h"

namespace singa {
namespace {

void Check(const std::string& text) {
  try {
    const Manifest manifest = ParseManifest(text, "fuzz");
    const Manifest again = ParseManifest(ManifestText(manifest), "again");
    if (again.step != manifest.step || again.run != manifest.run ||
        again.crc32c != manifest.crc32c || again.files.size() != manifest.files.size())
      std::abort();
  } catch (const DataError&) {
  }
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  singa::Check(text);
  const std::string open = text + ",\n  \"manifest_sha256\": \"";
  singa::Check(open + singa::Sha256Hex(open) + "\"\n}\n");
  return 0;
}
