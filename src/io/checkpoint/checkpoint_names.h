// Names of entries in a checkpoint folder:
//   step<N>               a checkpoint
//   step<N>.old.<nonce>   step<N> while another one takes its place; counts while there is no
//   step<N> step<N>.tmp.<nonce>, best.tmp.<nonce>   unfinished or being removed; counts for nothing
//   best                  link to step<N>
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace singa {

inline constexpr char kBestLink[] = "best";

inline std::string StepName(int64_t step) { return "step" + std::to_string(step); }

// Returns N of "step<N>"; nullopt for other names, also for "step01".
std::optional<int64_t> StepOf(std::string_view name);
// Returns N of "step<N>.old.<nonce>".
std::optional<int64_t> ReplacedStepOf(std::string_view name);
bool IsUnfinished(std::string_view name);

}  // namespace singa
