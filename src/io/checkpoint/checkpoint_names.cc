#include "io/checkpoint/checkpoint_names.h"

#include <charconv>

namespace singa {

std::optional<int64_t> StepOf(std::string_view name) {
  constexpr std::string_view kPrefix = "step";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int64_t step = 0;
  std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
  if (step < 0 || name != StepName(step)) return std::nullopt;
  return step;
}

std::optional<int64_t> ReplacedStepOf(std::string_view name) {
  const size_t end = name.find(".old.");
  if (end == std::string_view::npos) return std::nullopt;
  return StepOf(name.substr(0, end));
}

bool IsUnfinished(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find(".tmp."));
  return stem.size() < name.size() && (stem == kBestLink || StepOf(stem));
}

}  // namespace singa
