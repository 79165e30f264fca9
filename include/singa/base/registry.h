// A table from a name to a maker, filled before main by the files that define the products, and by
// plugins while they are loaded. Enum types register under their enum name ("kReLU"), user types
// under their user_type string. Constant then; safe for any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "singa/base/api.h"

namespace singa {

template <typename Product, typename... Args>
class Registry {
 public:
  using Maker = std::function<std::unique_ptr<Product>(Args...)>;

  // Returns false where the name is taken: the first maker stays, and the name is noted.
  bool Add(const std::string& name, Maker maker) {
    const bool added = makers_.emplace(name, std::move(maker)).second;
    if (!added) twice_.push_back(name);
    return added;
  }
  bool Has(const std::string& name) const { return makers_.count(name) > 0; }
  // nullptr where nobody registered `name`.
  std::unique_ptr<Product> Make(const std::string& name, Args... args) const {
    auto it = makers_.find(name);
    return it == makers_.end() ? nullptr : it->second(std::forward<Args>(args)...);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : makers_) names.push_back(entry.first);
    return names;
  }
  // Names that were added again.
  const std::vector<std::string>& twice() const { return twice_; }

 private:
  std::map<std::string, Maker> makers_;
  std::vector<std::string> twice_;
};

}  // namespace singa
