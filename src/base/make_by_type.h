// MakeByType makes the product that a message with `type` and `user_type` names.
#pragma once

#include <google/protobuf/generated_enum_reflection.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text/edit_distance.h"
#include "base/text/listed.h"
#include "singa/base/error.h"
#include "singa/base/registry.h"

namespace singa {

// Returns the error that a message names no product: `missing`, and the names of all types but
// `user_type`, the enum's kUser value.
template <typename Enum>
ConfigError NoTypeError(const std::string& missing, Enum user_type) {
  const auto& type = *google::protobuf::GetEnumDescriptor<Enum>();
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i)
    if (type.value(i)->number() != user_type) names.push_back(type.value(i)->name());
  return {"", StrCat(missing, "; allowed: ", Listed(names))};
}

// missing: what NoTypeError says if type is `user_type`, and conf has no user_type. Throws
// ConfigError.
template <typename Product, typename Conf>
std::unique_ptr<Product> MakeByType(const Registry<Product>& registry, const Conf& conf,
                                    decltype(conf.type()) user_type, const std::string& missing) {
  using Enum = decltype(conf.type());
  const bool by_user_type = conf.has_user_type();
  if (!by_user_type && conf.type() == user_type) throw NoTypeError(missing, user_type);
  const std::string& name =
      by_user_type
          ? conf.user_type()
          : google::protobuf::GetEnumDescriptor<Enum>()->FindValueByNumber(conf.type())->name();
  std::unique_ptr<Product> product = registry.Make(name);
  if (!product)
    throw ConfigError(
        by_user_type ? "user_type" : "type",
        StrCat("nothing is registered as \"", name, "\"", DidYouMean(name, registry.Names())));
  product->Setup(conf);
  return product;
}

}  // namespace singa
