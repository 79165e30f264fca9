#include "io/table/line_kind.h"

#include <algorithm>

namespace singa {
namespace {

// Returns whether a line is CSV that begins with a quote, rather than a message that begins with
// the same byte.
bool IsQuotedText(std::string_view line) {
  return line[0] == '"' && std::all_of(line.begin(), line.end(), [](char c) {
           return (c >= ' ' && c <= '~') || c == '\t' || c == '\r';
         });
}

}  // namespace

LineKind KindOfLine(std::string_view value) {
  constexpr std::string_view kTags = "\x08\x10\x1a\x22";  // tags of RecordProto's fields
  if (IsQuotedText(value)) return LineKind::kCsv;
  if (kTags.find(value[0]) != kTags.npos) return LineKind::kBinary;
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyz0123456789_ \t";
  const bool may_be_text = value[0] >= 'a' && value[0] <= 'z';
  const size_t end = may_be_text ? value.find_first_not_of(kOfNames) : value.npos;
  const bool text = end != value.npos && std::string_view(":{<").find(value[end]) != value.npos;
  return text ? LineKind::kText : LineKind::kCsv;
}

}  // namespace singa
