#include "base/text/edit_distance.h"

#include <algorithm>

#include "base/text/lower_case.h"
#include "singa/base/str_cat.h"

namespace singa {
int EditDistance(const std::string& a, const std::string& b) {
  const size_t n = a.size(), m = b.size();
  std::vector<std::vector<int>> d(n + 1, std::vector<int>(m + 1));
  for (size_t i = 0; i <= n; ++i) d[i][0] = static_cast<int>(i);
  for (size_t j = 0; j <= m; ++j) d[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= n; ++i) {
    for (size_t j = 1; j <= m; ++j) {
      const int change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[n][m];
}

std::string DidYouMean(const std::string& text, const std::vector<std::string>& known) {
  constexpr size_t kMaxLength = 64;  // longer names are no typing mistakes worth a guess
  if (text.empty() || text.size() > kMaxLength) return "";
  // A common ending of fields must not make two of them near.
  constexpr size_t kEnding = 5;
  const bool ends = text.size() > kEnding && text.ends_with("_conf");
  int best = std::max(1, static_cast<int>(text.size() - (ends ? kEnding : 0)) / 3) + 1;
  const std::string wanted = LowerCase(text);
  const std::string* nearest = nullptr;
  for (const std::string& name : known) {
    if (name.size() > kMaxLength) continue;
    const int distance = EditDistance(wanted, LowerCase(name));
    if (distance < best) best = distance, nearest = &name;
  }
  return nearest ? StrCat("; did you mean \"", *nearest, "\"?") : "";
}

std::string DidYouMeanOneOf(const std::string& text, const std::vector<std::string>& known) {
  constexpr size_t kListed = 12;
  std::string hint = DidYouMean(text, known);
  if (!hint.empty() || known.empty()) return hint;
  for (size_t i = 0; i < std::min(known.size(), kListed); ++i)
    hint += StrCat(i == 0 ? "; there are " : ", ", known[i]);
  return known.size() > kListed ? StrCat(hint, " and ", known.size() - kListed, " more") : hint;
}

}  // namespace singa
