#include "driver/http/prometheus_text.h"

#include <charconv>
#include <cmath>

#include "base/text/json_text.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Prometheus takes no sample of an answer with invalid UTF-8, which names of folders may have.
std::string LabelText(const std::string& text) {
  std::string escaped;
  for (const char c : ReplaceInvalidUtf8(text)) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[32];  // the shortest text of a double has 24 characters at most
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

void PrometheusText::AddPart(const std::string& name, const char* type, std::string_view help,
                             std::string_view part, const MetricLabels& labels, double value) {
  Family& family = families_[name];
  if (family.type.empty()) family = {type, std::string(help), ""};
  family.lines += StrCat("singa_", name, part);
  const char* separator = "{";
  for (const auto& [label, text] : labels) {
    family.lines += StrCat(separator, label, "=\"", LabelText(text), "\"");
    separator = ",";
  }
  family.lines += (labels.empty() ? " " : "} ") + NumberText(value) + "\n";
}

std::string PrometheusText::Text() const {
  std::string text;
  for (const auto& [name, family] : families_)
    text += StrCat("# HELP singa_", name, " ", family.help, "\n# TYPE singa_", name, " ",
                   family.type, "\n", family.lines);
  return text;
}

}  // namespace singa
