#include "driver/board/row_outline.h"

#include <functional>
#include <limits>

#include "base/text/parse_number.h"

namespace singa {
namespace {

// Depth of lists and objects in a value. Copies of a JSON value, and its text, take stack for each.
constexpr int kMostDepth = 8;

// Walks over the fields of a JSON object, whose values may be lists, and takes no copies.
class FieldWalk {
 public:
  explicit FieldWalk(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

  bool Begin() { return Take('{'); }

  // Moves to the next field. Returns false at the end, or if the line is wrong.
  bool Next() {
    if (Take('}')) return ended_ = SkipBlanks() == end_, false;
    if (!first_ && !Take(',')) return false;
    first_ = false;
    return TakeText(&key_) && Take(':') && TakeValue();
  }

  bool ended() const { return ended_; }  // the line was an object, and nothing came after it
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }  // of a text: without its quotes
  bool is_text() const { return is_text_; }

 private:
  const char* SkipBlanks() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
    return at_;
  }

  bool Take(char mark) {
    if (SkipBlanks() == end_ || *at_ != mark) return false;
    ++at_;
    return true;
  }

  bool TakeText(std::string_view* text) {
    if (!Take('"')) return false;
    const char* const begin = at_;
    for (; at_ < end_ && *at_ != '"'; ++at_)
      if (*at_ == '\\' && ++at_ == end_) return false;
    if (at_ == end_) return false;
    *text = {begin, at_++};
    return true;
  }

  bool TakeValue() {
    is_text_ = SkipBlanks() < end_ && *at_ == '"';
    if (is_text_) return TakeText(&value_);
    const char* const begin = at_;
    int depth = 0;
    for (; at_ < end_; ++at_) {
      if (*at_ == '"') {
        std::string_view ignored;
        if (!TakeText(&ignored)) return false;
        --at_;
      } else if (*at_ == '[' || *at_ == '{') {
        if (++depth > kMostDepth) return false;
      } else if (depth > 0 && (*at_ == ']' || *at_ == '}')) {
        --depth;
      } else if (depth == 0 && (*at_ == ',' || *at_ == '}' || *at_ == ' ')) {
        break;
      }
    }
    value_ = {begin, at_};
    return !value_.empty() && at_ < end_;
  }

  const char* at_;
  const char* const end_;
  std::string_view key_, value_;
  bool first_ = true, is_text_ = false, ended_ = false;
};

template <typename T>
void TakeNumber(std::string_view text, T* number) {
  if (const auto read = ParseNumber<T>(text)) *number = *read;
}

}  // namespace

std::optional<RowOutline> ReadRowOutline(std::string_view line) {
  RowOutline head;
  head.loss = std::numeric_limits<float>::quiet_NaN();
  FieldWalk field(line);
  if (!field.Begin()) return {};
  bool has_step = false;
  while (field.Next()) {
    const std::string_view key = field.key(), value = field.value();
    constexpr size_t kFactor = 31;
    head.keys = head.keys * kFactor + std::hash<std::string_view>()(key);
    if (field.is_text()) {
      if (key == "phase") head.phase = value;
      if (key == "layer") head.layer = value;
    } else if (key == "step") {
      const auto step = ParseNumber<int64_t>(value);
      has_step = step.has_value();
      head.step = step.value_or(0);
    } else if (key == "group") {
      TakeNumber(value, &head.group);
    } else if (key == "rank") {
      double rank = -1;  // rows have it as "1.0"
      TakeNumber(value, &rank);
      if (rank >= 0 && rank < 1e9) head.rank = static_cast<int64_t>(rank);
    } else if (key == "loss") {
      TakeNumber(value, &head.loss);
    } else if (key == "bytes_sent") {
      TakeNumber(value, &head.bytes_sent);
    } else if (key == "bytes_received") {
      TakeNumber(value, &head.bytes_received);
    }
  }
  if (!field.ended() || !has_step || head.phase.empty()) return {};
  return head;
}

}  // namespace singa
