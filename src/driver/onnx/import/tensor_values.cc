#include "driver/onnx/import/tensor_values.h"

#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "driver/onnx/import/wire_fields.h"
#include "io/checkpoint/json_text.h"
#include "math/elementwise/half.h"
#include "onnx/onnx.pb.h"
#include "singa/base/error.h"

namespace singa {
namespace {

namespace fs = std::filesystem;
using TensorKind = onnx::TensorProto;

template <typename T>
T AsItIs(T value) {
  return value;
}

std::string TypeName(int type) {
  return TensorKind::DataType_IsValid(type)
             ? TensorKind::DataType_Name(static_cast<TensorKind::DataType>(type))
             : StrCat("type ", type);
}

}  // namespace

void TensorValues::Fail(const OnnxTensor& tensor, const std::string& message) const {
  throw DataError(model_file_, -1, StrCat("tensor ", Quote(tensor.name), " ", message));
}

void TensorValues::CountReading(const OnnxTensor& tensor) {
  constexpr double kMostReadings = 256, kFree = 1 << 24;
  const auto numbers = static_cast<double>(tensor.size());
  if (seen_.insert(&tensor).second) stored_ += numbers;
  read_ += numbers;
  if (read_ > kMostReadings * stored_ + kFree) Fail(tensor, "is large, and read by too many nodes");
}

std::string TensorValues::PathOf(const OnnxTensor& tensor) const {
  const auto location = tensor.external.find("location");
  if (location == tensor.external.end() || location->second.empty())
    Fail(tensor, "is in another file, but has no location");
  const fs::path relative(location->second);
  const auto refuse = [&](const char* why) {
    Fail(tensor, StrCat("is in ", Quote(location->second), ", which ", why,
                        "; external data must be in the folder of the model"));
  };
  if (relative.is_absolute() || location->second.find('\0') != std::string::npos)
    refuse("is no relative path");
  fs::path path = fs::path(model_file_).parent_path();
  for (const fs::path& part : relative) {
    if (part == "..") refuse("leaves the folder");
    path /= part;
    std::error_code ignored;
    if (fs::is_symlink(fs::symlink_status(path, ignored))) refuse("is a link, or lies behind one");
  }
  return path.string();
}

int64_t TensorValues::Offset(const OnnxTensor& tensor, const std::string& key,
                             int64_t missing) const {
  const auto entry = tensor.external.find(key);
  if (entry == tensor.external.end()) return missing;
  const std::string& text = entry->second;
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0)
    Fail(tensor, StrCat("has the ", key, " ", Quote(text), ", which is no number >= 0"));
  return value;
}

std::string_view TensorValues::External(const OnnxTensor& tensor) {
  const std::string path = PathOf(tensor);
  auto file = files_.find(path);
  if (file == files_.end()) file = files_.emplace(path, MappedFile(path)).first;
  const auto bytes = file->second.bytes();
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t begin = Offset(tensor, "offset", 0);
  const int64_t length = Offset(tensor, "length", std::max<int64_t>(0, size - begin));
  if (begin > size || length > size - begin)
    Fail(tensor, StrCat("has ", length, " bytes from ", begin, " on in ",
                        Quote(tensor.external.at("location")), ", which has ", size, " bytes"));
  return {reinterpret_cast<const char*>(bytes.data()) + begin, static_cast<size_t>(length)};
}

std::string_view TensorValues::Bytes(const OnnxTensor& tensor) {
  return tensor.is_external ? External(tensor) : *tensor.raw;
}

std::string_view TensorValues::NumbersOf(const OnnxTensor& tensor, const TensorPart& part,
                                         int field) const {
  if (part.field != field)
    Fail(tensor, StrCat("of ", TypeName(tensor.type), " has numbers in the list of another type"));
  return part.numbers;
}

template <typename To, typename From, typename Convert>
std::vector<To> TensorValues::Fixed(const OnnxTensor& tensor, int field, Convert convert) {
  std::vector<std::string_view> parts;
  if (tensor.is_external || tensor.raw) {
    parts.push_back(Bytes(tensor));
  } else {
    for (const TensorPart& part : tensor.parts) parts.push_back(NumbersOf(tensor, part, field));
  }
  size_t bytes = 0;
  for (std::string_view part : parts) bytes += part.size();
  if (bytes % sizeof(From) != 0 || static_cast<int64_t>(bytes / sizeof(From)) != tensor.size())
    Fail(tensor, StrCat("has ", bytes, " bytes; its ", tensor.size(), " numbers of ",
                        TypeName(tensor.type), " have ", sizeof(From), " each"));
  std::vector<To> values;
  values.reserve(bytes / sizeof(From));
  for (std::string_view part : parts) {
    if (part.size() % sizeof(From) != 0) Fail(tensor, "has a number that is cut");
    for (size_t i = 0; i < part.size(); i += sizeof(From)) {
      From value;
      std::memcpy(&value, part.data() + i, sizeof value);
      values.push_back(convert(value));
    }
  }
  return values;
}

template <typename To, typename Convert>
std::vector<To> TensorValues::Varints(const OnnxTensor& tensor, int field, Convert convert) const {
  std::vector<To> values;
  for (const TensorPart& part : tensor.parts) {
    std::string_view rest = NumbersOf(tensor, part, field);
    for (uint64_t value = 0; !rest.empty();) {
      if (!WireFields::TakeVarint(&rest, &value)) Fail(tensor, "has a number that is cut");
      if (static_cast<int64_t>(values.size()) == tensor.size())
        Fail(tensor, StrCat("has more numbers than its shape, which has ", tensor.size()));
      values.push_back(convert(value));
    }
  }
  if (static_cast<int64_t>(values.size()) != tensor.size())
    Fail(tensor, StrCat("has ", values.size(), " numbers; its shape has ", tensor.size()));
  return values;
}

bool TensorValues::HasFloats(const OnnxTensor& tensor) {
  return tensor.type == TensorKind::FLOAT || tensor.type == TensorKind::DOUBLE ||
         tensor.type == TensorKind::FLOAT16 || tensor.type == TensorKind::BFLOAT16;
}

bool TensorValues::HasIntegers(const OnnxTensor& tensor) {
  return tensor.type == TensorKind::INT64 || tensor.type == TensorKind::INT32;
}

std::vector<float> TensorValues::Floats(const OnnxTensor& tensor) {
  CountReading(tensor);
  const bool in_list = !tensor.is_external && !tensor.raw;
  const auto half = [](uint64_t bits) { return Float16::ToFloat(static_cast<uint16_t>(bits)); };
  const auto brain = [](uint64_t bits) { return BFloat16::ToFloat(static_cast<uint16_t>(bits)); };
  switch (tensor.type) {
    case TensorKind::FLOAT:
      return Fixed<float, float>(tensor, TensorKind::kFloatDataFieldNumber, AsItIs<float>);
    case TensorKind::DOUBLE:
      return Fixed<float, double>(tensor, TensorKind::kDoubleDataFieldNumber,
                                  [](double value) { return static_cast<float>(value); });
    case TensorKind::FLOAT16:  // a list holds each as an int32
      return in_list ? Varints<float>(tensor, TensorKind::kInt32DataFieldNumber, half)
                     : Fixed<float, uint16_t>(tensor, 0, half);
    case TensorKind::BFLOAT16:
      return in_list ? Varints<float>(tensor, TensorKind::kInt32DataFieldNumber, brain)
                     : Fixed<float, uint16_t>(tensor, 0, brain);
    default:
      Fail(tensor, StrCat("has numbers of ", TypeName(tensor.type),
                          "; must be FLOAT, DOUBLE, FLOAT16 or BFLOAT16"));
  }
}

std::vector<int64_t> TensorValues::Integers(const OnnxTensor& tensor) {
  const bool in_list = !tensor.is_external && !tensor.raw;
  const auto number = [](uint64_t value) { return static_cast<int64_t>(value); };
  switch (tensor.type) {
    case TensorKind::INT64:
      return in_list ? Varints<int64_t>(tensor, TensorKind::kInt64DataFieldNumber, number)
                     : Fixed<int64_t, int64_t>(tensor, 0, AsItIs<int64_t>);
    case TensorKind::INT32:
      return in_list ? Varints<int64_t>(tensor, TensorKind::kInt32DataFieldNumber, number)
                     : Fixed<int64_t, int32_t>(tensor, 0, [](int32_t v) { return int64_t{v}; });
    default:
      Fail(tensor, StrCat("has numbers of ", TypeName(tensor.type), "; must be INT64 or INT32"));
  }
}

}  // namespace singa
