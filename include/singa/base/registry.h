// A table from a name to a maker, filled before main by the files that define the products, and by
// plugins while they are loaded. Enum types register under their enum name ("kReLU"), user types
// under their user_type string. Without a lock: any thread may read it while none loads a plugin.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/api.h"

namespace singa {

// A name that is taken, and the source files that register it.
struct TwiceRegistered {
  std::string product, name;  // layer, kReLU
  std::string first, again;
};
// Of all registries, in the order of registration.
SINGA_API std::vector<TwiceRegistered>& RegisteredTwice();

template <typename Product, typename... Args>
class Registry {
 public:
  using Maker = std::function<std::unique_ptr<Product>(Args...)>;

  // `product`: what it makes, in a message: "layer".
  explicit Registry(const char* product) : product_(product) {}

  // Returns false where the name is taken: the first maker stays, and the name is noted. `file` is
  // that of the caller.
  bool Add(const std::string& name, Maker maker, const char* file = __builtin_FILE()) {
    const auto [entry, added] = makers_.emplace(name, Entry{std::move(maker), file});
    if (!added) RegisteredTwice().push_back({product_, name, entry->second.file, file});
    return added;
  }
  bool Has(const std::string& name) const { return makers_.count(name) > 0; }
  // nullptr where nobody registered `name`.
  std::unique_ptr<Product> Make(const std::string& name, Args... args) const {
    auto it = makers_.find(name);
    return it == makers_.end() ? nullptr : it->second.maker(std::forward<Args>(args)...);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : makers_) names.push_back(entry.first);
    return names;
  }

 private:
  struct Entry {
    Maker maker;
    std::string file;
  };
  const char* product_;
  std::map<std::string, Entry> makers_;
};

}  // namespace singa
