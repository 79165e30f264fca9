// The texts in which plans are kept: a choice in partition.json, and what the plan cache has. Each
// function that reads one returns none if it is no such text.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "driver/plan/auto_partition.h"
#include "driver/plan/division.h"
#include "driver/plan/part_times.h"

namespace singa {

std::string ToText(const AutoPartition& partition);
std::optional<AutoPartition> AutoPartitionOf(const std::string& text);

std::string ToText(const std::vector<PartTimes>& times);
std::optional<std::vector<PartTimes>> TimesOf(const std::string& text);

// The predicted times of a step in ms, each with its division of the layers.
using StepTimes = std::map<Division, double>;
std::string ToText(const StepTimes& times);
std::optional<StepTimes> StepTimesOf(const std::string& text);

// The errors of a model: relative differences of predicted times.
inline constexpr int64_t kMostErrors = 100;
std::string ErrorsText(const std::vector<double>& errors);
std::optional<std::vector<double>> ErrorsOf(const std::string& text);

}  // namespace singa
