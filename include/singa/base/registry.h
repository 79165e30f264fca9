// A table from a name to a maker, filled before main by the files that define the products.
// Enum types register under their enum name ("kReLU"), user types under their user_type string.
// Constant after main starts; safe for any thread then.
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

  // Returns false, and changes nothing, where the name is taken.
  bool Add(const std::string& name, Maker maker) {
    return makers_.emplace(name, std::move(maker)).second;
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

 private:
  std::map<std::string, Maker> makers_;
};

}  // namespace singa
