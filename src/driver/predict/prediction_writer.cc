#include "driver/predict/prediction_writer.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text/json_text.h"
#include "math/reduction/top_k.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Appends a number with enough digits to read the same number back.
void AddNumber(float number, std::string* text) {
  char digits[32];
  text->append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// Quotes a cell as RFC 4180 says.
std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// Returns a JSON string.
std::string QuotedJson(const std::string& text) { return JsonText(nlohmann::json(text)); }

// Writes a number that is not finite as text, as JSON has no such numbers.
void AddJsonNumber(float number, std::string* text) {
  if (std::isfinite(number)) return AddNumber(number, text);
  *text += std::isnan(number) ? "\"nan\"" : number > 0 ? "\"inf\"" : "\"-inf\"";
}

}  // namespace

PredictionWriter::PredictionWriter(PredictionFormat format, int64_t outputs)
    : format_(std::move(format)), outputs_(outputs), best_(format_.top) {
  if (!format_.json) AddHeader();
}

std::string PredictionWriter::ClassName(int64_t index) const {
  return format_.classes.empty() ? std::to_string(index) : CsvCell(format_.classes[index]);
}

std::string PredictionWriter::OutputName(int64_t index) const {
  return format_.targets.empty() ? ClassName(index) : CsvCell(format_.targets[index]);
}

void PredictionWriter::AddHeader() {
  text_ = StrCat("record", format_.ids ? ",id" : "", format_.steps ? ",step" : "", ",label");
  for (int64_t k = 1; k <= format_.top; ++k) text_ += StrCat(",class", k, ",score", k);
  for (int64_t i = 0; i < (format_.top ? 0 : outputs_); ++i) text_ += "," + OutputName(i);
  text_ += '\n';
}

void PredictionWriter::Put(const std::string& record, int64_t step, const Truth& truth,
                           std::span<const float> scores) {
  Context ctx;
  if (format_.top) TopK(ctx, scores.data(), best_.data(), 1, outputs_, format_.top);
  if (format_.json)
    AddJson(record, step, truth, scores);
  else
    AddCsv(record, step, truth, scores);
}

void PredictionWriter::AddCsv(const std::string& record, int64_t step, const Truth& truth,
                              std::span<const float> scores) {
  text_ += CsvCell(record) + ",";
  if (format_.ids) text_ += CsvCell(std::string(truth.id)) + ",";
  if (format_.steps) text_ += StrCat(step, ",");
  const int32_t label = truth.label;
  if (label != kNoLabel)
    text_ += label >= 0 && label < outputs_ ? ClassName(label) : std::to_string(label);
  for (float index : best_) {
    text_ += "," + OutputName(static_cast<int64_t>(index)) + ",";
    AddNumber(scores[static_cast<size_t>(index)], &text_);
  }
  for (size_t i = 0; i < (format_.top ? 0 : scores.size()); ++i) {
    text_ += ',';
    AddNumber(scores[i], &text_);
  }
  text_ += '\n';
}

void PredictionWriter::AddJson(const std::string& record, int64_t step, const Truth& truth,
                               std::span<const float> scores) {
  const std::vector<std::string>& names =
      format_.targets.empty() ? format_.classes : format_.targets;
  const auto name = [&](int64_t index) {
    return names.empty() || index >= outputs_ ? "" : ",\"name\":" + QuotedJson(names[index]);
  };
  text_ += "{\"record\":" + QuotedJson(record);
  if (format_.ids) text_ += ",\"id\":" + QuotedJson(std::string(truth.id));
  if (format_.steps) text_ += StrCat(",\"step\":", step);
  if (truth.label != kNoLabel) text_ += StrCat(",\"label\":", truth.label);
  text_ += format_.top ? ",\"top\":[" : ",\"scores\":[";
  for (float best : best_) {
    const auto index = static_cast<int64_t>(best);
    text_ += StrCat("{\"class\":", index, name(index), ",\"score\":");
    AddJsonNumber(scores[index], &text_);
    text_ += "},";
  }
  for (size_t i = 0; i < (format_.top ? 0 : scores.size()); ++i) {
    AddJsonNumber(scores[i], &text_);
    text_ += ',';
  }
  text_.back() = ']';
  text_ += "}\n";
}

void PredictionWriter::Flush() {
  WriteToStdout(text_);
  text_.clear();
}

}  // namespace singa
