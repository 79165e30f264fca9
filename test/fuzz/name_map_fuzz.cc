// Reads any bytes as a name map. They are refused with DataError, or are pairs of names that are
// all different.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "io/checkpoint/name_map.h"
#include "singa/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    std::set<std::string> in_file, in_net;
    for (const singa::NamePair& pair :
         singa::ParseNameMap({reinterpret_cast<const char*>(data), size}, "fuzz"))
      if (!in_file.insert(pair.in_file).second || !in_net.insert(pair.in_net).second ||
          pair.in_file.empty() || pair.in_net.empty() || pair.line < 1 ||
          (pair.shape && pair.shape->dims() < 1))
        std::abort();
  } catch (const singa::DataError&) {
  }
  return 0;
}
