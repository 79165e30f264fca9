#include "driver/conf/scalar.h"

#include <cfloat>
#include <cmath>
#include <limits>

#include "base/text/edit_distance.h"
#include "base/text/listed.h"
#include "driver/conf/diagnostic.h"
#include "driver/conf/old_types.h"
#include "driver/conf/synonyms.h"

namespace singa {
namespace {

namespace protobuf = google::protobuf;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::Tokenizer;

constexpr size_t kListedValues = 10;  // maximum number of names that a message lists

// Returns the enum's values that are not deprecated.
std::vector<std::string> CurrentNames(const EnumDescriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.value_count(); ++i) {
    const bool layer = type.full_name() == "singa.LayerType";
    const auto number = static_cast<LayerType>(type.value(i)->number());
    const bool by_system = number == kBridgeSrc || number == kBridgeDst;
    if (!layer || (OldTypeText(number).empty() && !by_system))
      names.push_back(type.value(i)->name());
  }
  return names;
}

std::string Shown(const Scalar& scalar) {
  return Excerpt((scalar.negative ? "-" : "") + scalar.text);
}

std::string WrongKind(const FieldDescriptor& field, const Scalar& scalar) {
  return StrCat("must be ", KindOf(field), ", is ", Shown(scalar));
}

std::string IntegerProblem(const FieldDescriptor& field, const Scalar& scalar) {
  if (scalar.type != Tokenizer::TYPE_INTEGER) return WrongKind(field, scalar);
  const bool is_unsigned = field.cpp_type() == FieldDescriptor::CPPTYPE_UINT32 ||
                           field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
  const bool wide = field.cpp_type() == FieldDescriptor::CPPTYPE_UINT64 ||
                    field.cpp_type() == FieldDescriptor::CPPTYPE_INT64;
  if (is_unsigned && scalar.negative) return StrCat("must be >= 0, is ", Shown(scalar));
  uint64_t most = wide ? std::numeric_limits<uint64_t>::max() : 0xFFFFFFFFu;
  if (!is_unsigned) most = most / 2 + (scalar.negative ? 1 : 0);
  uint64_t value;
  if (Tokenizer::ParseInteger(scalar.text, most, &value)) return "";
  return StrCat(scalar.negative ? "must be >= -" : "must be <= ", most, ", is ", Shown(scalar));
}

std::string NumberProblem(const FieldDescriptor& field, const Scalar& scalar) {
  const std::string& text = scalar.text;
  if (scalar.type == Tokenizer::TYPE_IDENTIFIER) {
    std::string lower;
    for (char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (lower == "nan" || lower == "inf" || lower == "infinity")
      return StrCat("must be finite, is ", Shown(scalar));
  }
  if (scalar.type != Tokenizer::TYPE_INTEGER && scalar.type != Tokenizer::TYPE_FLOAT)
    return WrongKind(field, scalar);
  if (scalar.type == Tokenizer::TYPE_INTEGER && text.size() > 1 && text[0] == '0')
    return StrCat("must be a decimal number, is ", Shown(scalar));
  const double value = Tokenizer::ParseFloat(text);
  const double most = field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT ? FLT_MAX : DBL_MAX;
  if (!(std::abs(value) <= most)) return StrCat("must be finite, is ", Shown(scalar));
  return "";
}

std::string BoolProblem(const FieldDescriptor& field, const Scalar& scalar) {
  const std::string& text = scalar.text;
  if (!scalar.negative && scalar.type == Tokenizer::TYPE_IDENTIFIER)
    for (const char* word : {"true", "True", "t", "false", "False", "f"})
      if (text == word) return "";
  uint64_t value;
  if (!scalar.negative && scalar.type == Tokenizer::TYPE_INTEGER &&
      Tokenizer::ParseInteger(text, 1, &value))
    return "";
  return WrongKind(field, scalar);
}

std::string EnumProblem(const FieldDescriptor& field, const Scalar& scalar) {
  const EnumDescriptor& type = *field.enum_type();
  std::vector<std::string> names;
  names.reserve(type.value_count());
  for (int i = 0; i < type.value_count(); ++i) names.push_back(type.value(i)->name());
  if (scalar.type == Tokenizer::TYPE_IDENTIFIER && !scalar.negative &&
      type.FindValueByName(scalar.text))
    return "";
  if (scalar.type == Tokenizer::TYPE_STRING && type.FindValueByName(scalar.value))
    return StrCat("must be written without quotes, is ", Shown(scalar));
  uint64_t number;
  if (scalar.type == Tokenizer::TYPE_INTEGER &&
      Tokenizer::ParseInteger(scalar.text, std::numeric_limits<int32_t>::max(), &number) &&
      type.FindValueByNumber(static_cast<int>(number) * (scalar.negative ? -1 : 1)))
    return "";
  const std::string& said = scalar.type == Tokenizer::TYPE_STRING ? scalar.value : scalar.text;
  const std::string meant = SynonymOf(type, said);
  const std::string guess =
      meant.empty() ? DidYouMean(said, names) : StrCat("; did you mean \"", meant, "\"?");
  if (names.size() > kListedValues)
    return StrCat("is ", Shown(scalar), ", which is no ", type.name(),
                  guess.empty() && scalar.type != Tokenizer::TYPE_INTEGER
                      ? "; allowed: " + Listed(CurrentNames(type))
                      : guess);
  return StrCat("must be ", Listed(names), ", is ", Shown(scalar), guess);
}

// Returns the bytes of the UTF-8 character at the start of `text`; 0: it is invalid.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool beyond = (lead == 0xED && byte(1) >= 0xA0) || (lead == 0xF4 && byte(1) >= 0x90);
  return overlong || beyond ? 0 : length;
}

}  // namespace

std::string StringProblem(const std::string& value) {
  if (value.find('\0') != std::string::npos) return "must not contain a NUL byte";
  for (std::string_view rest = value; !rest.empty();) {
    const size_t length = CharacterLength(rest);
    if (length == 0)
      return StrCat("must be UTF-8, is not from byte ", rest.data() - value.data(), " on");
    rest.remove_prefix(length);
  }
  return "";
}

std::string KindOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return StrCat("a value of ", field.enum_type()->name());
    case FieldDescriptor::CPPTYPE_STRING:
      return "a string in quotes";
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "a message in { }";
    default:
      return "an integer";
  }
}

std::string ScalarProblem(const FieldDescriptor& field, const Scalar& scalar) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT:
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return NumberProblem(field, scalar);
    case FieldDescriptor::CPPTYPE_BOOL:
      return BoolProblem(field, scalar);
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumProblem(field, scalar);
    case FieldDescriptor::CPPTYPE_STRING:
      if (scalar.type != Tokenizer::TYPE_STRING || scalar.negative) return WrongKind(field, scalar);
      return field.type() == FieldDescriptor::TYPE_BYTES ? "" : StringProblem(scalar.value);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return WrongKind(field, scalar);
    default:
      return IntegerProblem(field, scalar);
  }
}

std::vector<std::string> FieldNames(const protobuf::Descriptor& type) {
  std::vector<std::string> names;
  names.reserve(type.field_count());
  for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
  return names;
}

std::string NoSuchField(const protobuf::Descriptor& type, const std::string& name,
                        const protobuf::Descriptor* parent) {
  if (const std::string instead = InsteadOf(type, name); !instead.empty())
    return StrCat("no such field in ", type.name(), "; ", instead);
  std::vector<std::string> inside;   // fields whose messages have a field of the name
  std::vector<std::string> meaning;  // fields whose messages have a synonym of the name
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (!field.message_type()) continue;
    const std::string path = field.name() + (field.is_repeated() ? "[...]." : ".");
    if (field.message_type()->FindFieldByName(name)) inside.push_back(path + name);
    const std::string there = SynonymOf(*field.message_type(), name);
    if (!there.empty()) meaning.push_back(path + there);
  }
  const std::string meant = SynonymOf(type, name);
  std::string hint = DidYouMean(name, FieldNames(type));
  if (inside.empty() && hint.empty()) inside = meaning;
  if (!meant.empty())
    hint = StrCat("; did you mean \"", meant, "\"?");
  else if (inside.size() == 1)
    hint = StrCat("; did you mean \"", inside[0], "\"?");
  else if (hint.empty() && !inside.empty() && inside.size() <= kListedValues)
    hint = StrCat("; did you mean ", Listed(inside), "?");
  else if (hint.empty() && parent && parent->FindFieldByName(name))
    hint = StrCat("; it belongs to ", parent->name(), ", outside of these braces");
  return StrCat("no such field in ", type.name(), hint);
}

}  // namespace singa
