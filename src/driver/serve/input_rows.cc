#include "driver/serve/input_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/text/counted.h"
#include "base/text/short_text.h"
#include "driver/http/http_access.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr char kInputs[] = "inputs";
constexpr size_t kShownBytes = 60;  // of a name in a message

std::string RecordText(const InputForm& form) {
  return form.shape.size() < 2 ? Counted(form.size, "number")
                               : StrCat(ShapeOfRecord(form.shape), " numbers");
}

// Takes the values of a body one by one, so that no value is kept twice.
class InputsHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  InputsHandler(const InputForm& form, InputRows* to) : form_(form), to_(*to) {
    shape_ = form_.shape.empty() ? std::vector<int64_t>{form_.size} : form_.shape;
  }

  bool inputs_given() const { return given_; }

  bool null() override { Refuse("is null"); }
  bool boolean(bool) override { Refuse("is true or false"); }
  bool number_integer(number_integer_t value) override { return Add(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return Add(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool binary(binary_t&) override { Refuse("is binary"); }

  bool string(string_t& text) override {
    if (arrays_ != 1 || !form_.vocabulary) Refuse("is a text");
    BeginRecord();
    AddText(text);
    to_.numbers.resize(to_.lengths.size() * static_cast<size_t>(form_.size), 0);
    return true;
  }

  bool start_object(size_t) override {
    if (object_) Refuse("is an object");
    return object_ = true;
  }
  bool key(string_t& name) override {
    if (name != kInputs)
      throw BadRequest{400, StrCat("\"", ShortText(name, kShownBytes),
                                   "\" is no member of the body; there is \"inputs\"")};
    if (given_) throw BadRequest{400, "\"inputs\" stands twice in the body"};
    return given_ = true;
  }
  bool end_object() override { return true; }

  bool start_array(size_t) override {
    if (!object_) Refuse("is an array");
    if (arrays_ > 1 && (flat_ || counts_.size() == shape_.size())) Refuse("is an array");
    if (arrays_ == 1) BeginRecord();
    if (arrays_ > 1) ++counts_.back();
    if (arrays_ > 0) counts_.push_back(0);
    ++arrays_;
    return true;
  }
  bool end_array() override {
    --arrays_;
    if (arrays_ == 0) return true;
    const int64_t count = counts_.back();
    counts_.pop_back();
    const bool whole = arrays_ == 1 && flat_;
    const int64_t wanted = whole ? form_.size : shape_[counts_.size()];
    if (count != wanted)
      throw BadRequest{400, StrCat(Place(), " has ", Counted(count, "element"), ", must have ",
                                   wanted, ": the net takes ", RecordText(form_))};
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) override {
    throw BadRequest{400, "the body is no JSON: " + ShortText(error.what(), 200)};
  }

 private:
  bool Add(double value) {
    const auto number = static_cast<float>(value);
    if (arrays_ > 1 && counts_.size() == 1 && counts_[0] == 0) flat_ = true;
    if (arrays_ < 2 || (!flat_ && counts_.size() != shape_.size())) Refuse("is a number");
    ++counts_.back();
    if (!std::isfinite(number)) throw BadRequest{400, Place() + " is not in the range of float32"};
    if (++numbers_ > form_.size)
      throw BadRequest{400, StrCat(Place(), ": the record has more than ", RecordText(form_))};
    to_.numbers.push_back(number);
    return true;
  }

  void BeginRecord() {
    if (to_.records() == form_.most_records)
      throw BadRequest{413,
                       StrCat("a request has at most ", Counted(form_.most_records, "record"))};
    to_.lengths.push_back(form_.size);
    numbers_ = 0;
    flat_ = false;
  }

  void AddText(const std::string& text) {
    const auto length = static_cast<int64_t>(text.size());
    to_.lengths.back() = length;
    if (length == 0 || length > form_.size || (length < form_.size && !form_.short_texts))
      throw BadRequest{400, StrCat(Place(), " has ", Counted(length, "character"), ", must have ",
                                   form_.short_texts ? "1 to " : "", form_.size)};
    for (const char c : text) {
      const auto byte = static_cast<uint8_t>(c);
      const int index = form_.vocabulary->IndexOf(byte);
      if (index < 0)
        throw BadRequest{400, StrCat(Place(), ": character ", CharacterText(byte), " is not in ",
                                     form_.vocabulary->path())};
      to_.numbers.push_back(static_cast<float>(index));
    }
  }

  std::string Wanted() const {
    if (!object_) return "an object";
    if (arrays_ == 0) return "an array of records";
    if (arrays_ == 1)
      return form_.vocabulary ? "a text, or an array of numbers" : "an array of numbers";
    return flat_ || counts_.size() == shape_.size() ? "a number" : "an array";
  }

  // Returns the place of the value that is read: "inputs[2][0]".
  std::string Place() const {
    if (!object_) return "the body";
    std::string place = kInputs;
    if (!to_.lengths.empty()) place += StrCat("[", to_.lengths.size() - 1, "]");
    for (const int64_t count : counts_) place += StrCat("[", std::max<int64_t>(0, count - 1), "]");
    return place;
  }

  // Refuses the value that comes next.
  [[noreturn]] void Refuse(const std::string& what) {
    const std::string wanted = Wanted();
    if (arrays_ == 1) to_.lengths.push_back(0);
    if (arrays_ > 1) ++counts_.back();
    throw BadRequest{400, StrCat(Place(), " ", what, ", must be ", wanted)};
  }

  const InputForm& form_;
  InputRows& to_;
  std::vector<int64_t> shape_;
  bool object_ = false, given_ = false;
  int arrays_ = 0;               // that are open
  bool flat_ = false;            // the record is one array of all its numbers
  int64_t numbers_ = 0;          // of the record so far
  std::vector<int64_t> counts_;  // elements so far of the record's open arrays
};

}  // namespace

std::string ShapeOfRecord(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += StrCat(text.empty() ? "" : " x ", size);
  return text;
}

InputRows ReadJsonRows(std::string_view body, const InputForm& form) {
  InputRows rows;
  InputsHandler handler(form, &rows);
  nlohmann::json::sax_parse(body.begin(), body.end(), &handler);
  if (!handler.inputs_given()) throw BadRequest{400, "the body has no \"inputs\""};
  if (rows.records() == 0) throw BadRequest{400, "\"inputs\" holds no record"};
  return rows;
}

InputRows ReadFloatRows(std::string_view body, const InputForm& form) {
  const auto bytes = static_cast<int64_t>(body.size());
  const int64_t row = form.size * static_cast<int64_t>(sizeof(float));
  if (bytes == 0 || bytes % row != 0)
    throw BadRequest{400, StrCat("the body has ", Counted(bytes, "byte"), ", must have ", row,
                                 " for each record: the net takes ", RecordText(form))};
  const int64_t records = bytes / row;
  if (records > form.most_records)
    throw BadRequest{413, StrCat("a request has at most ", Counted(form.most_records, "record"),
                                 ", has ", records)};
  InputRows rows;
  rows.numbers.resize(static_cast<size_t>(records * form.size));
  std::memcpy(rows.numbers.data(), body.data(), body.size());
  rows.lengths.assign(static_cast<size_t>(records), form.size);
  for (size_t i = 0; i < rows.numbers.size(); ++i)
    if (!std::isfinite(rows.numbers[i]))
      throw BadRequest{400, StrCat("number ", i, " of the body is not finite")};
  return rows;
}

}  // namespace singa
