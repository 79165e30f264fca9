#include "driver/onnx/import/node_attributes.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace singa {

int64_t NodeAttributes::Int(const std::string& name, int64_t missing) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return missing;
  if (!attribute->integer) Refuse(StrCat("attribute ", name, " is no integer"));
  return *attribute->integer;
}

float NodeAttributes::Float(const std::string& name, float missing) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return missing;
  if (!attribute->number) Refuse(StrCat("attribute ", name, " is no float"));
  if (!std::isfinite(*attribute->number))
    Refuse(StrCat("attribute ", name, " is ", *attribute->number, ", which is not finite"));
  return *attribute->number;
}

std::string NodeAttributes::Text(const std::string& name, const std::string& missing) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return missing;
  if (!attribute->text) Refuse(StrCat("attribute ", name, " is no text"));
  return *attribute->text;
}

Sizes NodeAttributes::Ints(const std::string& name) const {
  const OnnxAttribute* const attribute = Find(name);
  if (!attribute) return {};
  if (std::ssize(attribute->integers) > kMostSizes)
    Refuse(StrCat("attribute ", name, " has ", attribute->integers.size(), " integers"));
  if (std::any_of(attribute->integers.begin(), attribute->integers.end(), IsFree))
    Refuse(StrCat("attribute ", name, " has a number below all sizes"));
  return attribute->integers;
}

int64_t NodeAttributes::Axis(int64_t axis, const Sizes& dims) const {
  const auto count = static_cast<int64_t>(dims.size());
  if (axis < -count || axis >= count)
    Refuse(StrCat("axis ", axis, " is none of the ", count, " dimensions of its input"));
  return axis < 0 ? axis + count : axis;
}

}  // namespace singa
