#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "base/text/counted.h"
#include "io/format/value_parser.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Returns a token in quotes for a message.
std::string Quote(std::string_view token) {
  std::string text = "\"";
  for (char c : token.substr(0, 40)) text += c >= ' ' && c < 127 ? c : '?';
  return text + (token.size() > 40 ? "...\"" : "\"");
}

bool IsNumber(std::string_view token) {
  double number;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  return error == std::errc() && stop == token.data() + token.size();
}

std::string NameOf(char separator) {
  if (separator == '\t') return "a tab";
  return separator == ' ' ? "a space" : StrCat("\"", separator, "\"");
}

// Returns advice if `token` is several numbers between another separator, else "".
std::string OtherSeparator(std::string_view token, const std::string& separators) {
  for (char other : {';', '\t', ' ', '|', ','}) {
    const size_t at = token.find(other);
    if (at == token.npos || !IsNumber(token.substr(0, at))) continue;
    std::string expected;
    for (char c : separators) expected += (expected.empty() ? "" : " or ") + NameOf(c);
    return StrCat("; ", NameOf(other), " seems to separate the numbers, the separator is set to ",
                  expected);
  }
  return "";
}

bool IsInteger(std::string_view token) {
  int32_t number;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  return error == std::errc() && stop == token.data() + token.size();
}

class CsvParser final : public ValueParser {
 public:
  CsvParser(const std::string& separator, bool has_label, int64_t targets)
      : separator_(separator), has_label_(has_label && targets == 0), targets_(targets) {
    for (unsigned char c : separator) separates_[c] = true;
  }

  std::optional<int32_t> LabelOf(std::string_view line) const override {
    if (!has_label_) return {};
    line.remove_prefix(Blanks(line));
    try {
      return Label(Token(line, LengthOfToken(line)), line);
    } catch (const ValueError&) {
      return {};
    }
  }

  const Sample& Parse(std::string_view line) override {
    const std::string_view whole = line;
    numbers_.clear();
    target_.clear();
    sample_.label = kNoLabel;
    bool label_follows = has_label_;
    for (;;) {
      line.remove_prefix(Blanks(line));
      const size_t length = LengthOfToken(line);
      const std::string_view token = Token(line, length);
      // No number follows a separator at the end of the line, or trailing spaces as separators.
      if (token.empty() && length == line.size()) break;
      if (label_follows)
        sample_.label = Label(token, whole);
      else if (TargetFollows())
        target_.push_back(Number(token, "target", target_.size()));
      else
        numbers_.push_back(Number(token, "number", numbers_.size()));
      label_follows = false;
      if (length == line.size()) break;
      line.remove_prefix(length + 1);
    }
    if (label_follows) throw ValueError("has no label");
    if (TargetFollows())
      throw ValueError(StrCat("has ", Counted(std::ssize(target_), "number"), "; the first ",
                              targets_, " are targets, as num_targets or -targets says"));
    sample_.data = numbers_;
    sample_.targets = target_;
    return sample_;
  }

 private:
  bool TargetFollows() const { return std::ssize(target_) < targets_; }

  size_t LengthOfToken(std::string_view line) const {
    size_t length = 0;
    while (length < line.size() && !separates_[static_cast<unsigned char>(line[length])]) ++length;
    return length;
  }
  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static size_t Blanks(std::string_view line) {
    size_t n = 0;
    while (n < line.size() && IsBlank(line[n])) ++n;
    return n;
  }
  static std::string_view Trim(std::string_view token) {
    while (!token.empty() && IsBlank(token.back())) token.remove_suffix(1);
    return token;
  }

  // Returns the first `length` bytes of a line, without blanks and quotes around them.
  static std::string_view Token(std::string_view line, size_t length) {
    std::string_view token = Trim(line.substr(0, length));
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') return token;
    token = token.substr(1, token.size() - 2);
    token.remove_prefix(Blanks(token));
    return Trim(token);
  }

  // Returns advice if the label of `line` seems to be elsewhere, or is a word; else "".
  std::string LabelAdvice(std::string_view token, std::string_view line) const {
    std::string_view last = Trim(line.substr(Blanks(line))), second;
    for (size_t length = LengthOfToken(last); length < last.size(); length = LengthOfToken(last)) {
      last.remove_prefix(length + 1);
      last.remove_prefix(Blanks(last));
      if (second.empty()) second = Token(last, LengthOfToken(last));
    }
    last = Token(last, last.size());
    constexpr char kFirst[] = "; the label is the first number of a line";
    if (IsNumber(token) && IsInteger(last))
      return StrCat(kFirst, ", and here it seems to be the last: move that column to the front");
    if (IsNumber(token) && !last.empty() && !IsNumber(last))
      return StrCat(kFirst, ": put the class there, as a number from 0, in place of ", Quote(last));
    return !IsNumber(token) && IsNumber(second) ? "; write classes as numbers from 0" : "";
  }

  int32_t Label(std::string_view token, std::string_view line) const {
    int32_t label = 0;
    if (token.size() > 1 && token[0] == '+') token.remove_prefix(1);
    const char* end = token.data() + token.size();
    const auto [stop, error] = std::from_chars(token.data(), end, label);
    if (error != std::errc() || stop != end || label == kNoLabel)
      throw ValueError(StrCat("the label must be an integer above ", kNoLabel, ", is ",
                              Quote(token), OtherSeparator(token, separator_),
                              LabelAdvice(token, line)));
    return label;
  }

  // Converts number `index`, from 0, of the line's numbers or targets; `what` says which.
  float Number(std::string_view token, const char* what, size_t index) const {
    float number = 0;
    std::string_view digits = token;
    if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    if (error == std::errc::result_out_of_range && stop == end)
      return OutOfRange(digits, token, what, index);
    if (error != std::errc() || stop != end || !std::isfinite(number))
      throw ValueError(
          StrCat(what, " ", index + 1, " is ", Quote(token), OtherSeparator(token, separator_)));
    return number;
  }

  // Converts a number that is too small or too large for a float, for which from_chars gives no
  // value.
  static float OutOfRange(std::string_view digits, std::string_view token, const char* what,
                          size_t index) {
    const float number = std::strtof(std::string(digits).c_str(), nullptr);
    if (std::isfinite(number)) return number;
    throw ValueError(StrCat(what, " ", index + 1, " is too large: ", Quote(token)));
  }

  bool separates_[256] = {};
  const std::string separator_;
  const bool has_label_;
  const int64_t targets_;
  std::vector<float> numbers_, target_;
  Sample sample_;
};

}  // namespace

std::unique_ptr<ValueParser> NewCsvParser(const std::string& separator, bool has_label,
                                          int64_t targets) {
  return std::make_unique<CsvParser>(separator, has_label, targets);
}

}  // namespace singa
