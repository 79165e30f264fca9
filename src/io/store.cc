#include "io/store.h"

#include <algorithm>
#include <iterator>

#include "base/edit_distance.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr const char* kPlanned[] = {"hdfsfile"};

}  // namespace

std::string Store::Where(int64_t index) const { return StrCat(name(), ": record ", index); }

StoreRegistry& Stores() {
  static StoreRegistry registry;
  return registry;
}

void CheckBackend(const std::string& backend) {
  if (Stores().Has(backend)) return;
  if (std::find(std::begin(kPlanned), std::end(kPlanned), backend) != std::end(kPlanned))
    throw ConfigError("", StrCat("\"", backend, "\" is not built yet"));
  std::vector<std::string> known = Stores().Names();
  known.insert(known.end(), std::begin(kPlanned), std::end(kPlanned));
  throw ConfigError("", StrCat("no such backend: \"", backend, "\"", DidYouMean(backend, known)));
}

std::unique_ptr<Store> OpenStore(const std::string& backend, const StoreOptions& options) {
  CheckBackend(backend);
  return Stores().Make(backend, options);
}

}  // namespace singa
