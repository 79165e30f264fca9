// MakeByType makes the product that a message with `type` and `user_type` names.
#pragma once

#include <memory>
#include <string>

#include "base/text/edit_distance.h"
#include "singa/base/error.h"
#include "singa/base/registry.h"

namespace singa {

// type_name: the enum's name of conf.type(). missing: the error's text if type is `user_type`, the
// enum's kUser value, and conf has no user_type. Throws ConfigError.
template <typename Product, typename Conf>
std::unique_ptr<Product> MakeByType(const Registry<Product>& registry, const Conf& conf,
                                    decltype(conf.type()) user_type, const std::string& type_name,
                                    const std::string& missing) {
  const bool by_user_type = conf.has_user_type();
  if (!by_user_type && conf.type() == user_type) throw ConfigError("", missing);
  const std::string& name = by_user_type ? conf.user_type() : type_name;
  std::unique_ptr<Product> product = registry.Make(name);
  if (!product)
    throw ConfigError(
        by_user_type ? "user_type" : "type",
        StrCat("nothing is registered as \"", name, "\"", DidYouMean(name, registry.Names())));
  product->Setup(conf);
  return product;
}

}  // namespace singa
