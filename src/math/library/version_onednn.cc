#include <dnnl.h>

#include "math/library/libraries.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {
const bool added = [] {
  const dnnl_version_t* version = dnnl_version();
  return AddLibrary(StrCat("oneDNN ", version->major, ".", version->minor, ".", version->patch));
}();
}  // namespace
}  // namespace singa
