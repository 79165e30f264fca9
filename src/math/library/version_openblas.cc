#include <cblas.h>

#include <string>

#include "math/library/libraries.h"

namespace singa {
namespace {
// The library's text is "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...".
const bool added = [] {
  const std::string config = openblas_get_config();
  return AddLibrary(config.substr(0, config.find(' ', config.find(' ') + 1)));
}();
}  // namespace
}  // namespace singa
