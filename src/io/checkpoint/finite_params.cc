#include "io/checkpoint/finite_params.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/counted.h"
#include "math/finite.h"
#include "singa/base/error.h"
#include "singa/tensor/context.h"

namespace singa {
namespace {

// Returns the line for a param; "": all its values are finite.
std::string TextOf(const std::string& name, std::span<const float> values) {
  const auto n = static_cast<int64_t>(values.size());
  if (AllFinite(Context(), values.data(), n)) return "";
  const auto bad =
      std::count_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
  return StrCat("param \"", Printable(name), "\": ", bad, " of its ",
                Counted(n, "value is", "values are"), " not finite");
}

void Throw(const ParamsFile& file, const std::vector<std::string>& lines) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < std::min(lines.size(), kMost); ++i) text += (i ? "; " : "") + lines[i];
  if (lines.size() > kMost) text += StrCat("; and ", lines.size() - kMost, " more");
  if (!lines.empty()) throw DataError(file.path(), -1, text);
}

}  // namespace

std::vector<std::string> NotFinite(const ParamsFile& file) {
  std::vector<std::string> lines;
  for (const auto& [name, entry] : file.params())
    if (std::string text = TextOf(name, entry.values); !text.empty())
      lines.push_back(std::move(text));
  return lines;
}

void RequireFinite(const ParamsFile& file, const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const std::string& name : names)
    if (std::string text = TextOf(name, file.params().at(name).values); !text.empty())
      lines.push_back(std::move(text));
  Throw(file, lines);
}

void RequireFinite(const ParamsFile& file) { Throw(file, NotFinite(file)); }

}  // namespace singa
