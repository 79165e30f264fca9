#include "singa/base/registry.h"

namespace singa {

std::vector<TwiceRegistered>& RegisteredTwice() {
  static std::vector<TwiceRegistered> twice;
  return twice;
}

}  // namespace singa
