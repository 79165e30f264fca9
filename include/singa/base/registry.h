// Registry maps a name to a maker of objects. Source files fill it before main, and plugins while
// they are loaded. Enum types register under their enum name ("kReLU"), user types under their
// user_type string. It has no lock: any thread may read it while no thread loads a plugin.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "singa/base/api.h"

namespace singa {

// A name that was registered twice, and the two source files that register it.
struct TwiceRegistered {
  std::string product, name;  // layer, kReLU
  std::string first, again;
};
// Returns the double registrations of all registries, in their order.
SINGA_API std::vector<TwiceRegistered>& RegisteredTwice();

template <typename Product, typename... Args>
class Registry {
 public:
  using Maker = std::function<std::unique_ptr<Product>(Args...)>;

  // `product` names the kind of object in messages: "layer".
  explicit Registry(const char* product) : product_(product) {}

  // Returns false if the name is taken. Then the first maker stays, and RegisteredTwice notes the
  // name. `file` is the caller's source file.
  bool Add(const std::string& name, Maker maker, const char* file = __builtin_FILE()) {
    const auto [entry, added] = makers_.emplace(name, Entry{std::move(maker), file});
    if (!added) RegisteredTwice().push_back({product_, name, entry->second.file, file});
    return added;
  }
  bool Has(const std::string& name) const { return makers_.count(name) > 0; }
  // Returns nullptr if `name` is not registered.
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
