#include "driver/plan/model_errors.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/file/sha256.h"
#include "driver/plan/plan_cache.h"
#include "driver/plan/plan_texts.h"
#include "driver/timing/median.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int64_t kLeast = 4;       // numbers that an error is fitted to
constexpr double kSmallest = 0.02;  // repeated trainings differ by as much

// Returns the name of the file. Another build, and another CPU, have errors of their own.
std::string NameOfErrors() { return StrCat("errors-", Sha256Hex(BuildAndCpu()), ".json"); }

std::vector<double> KeptErrors() {
  const std::optional<std::string> text = ReadPlanCache(NameOfErrors());
  return (text ? ErrorsOf(*text) : std::nullopt).value_or(std::vector<double>());
}

}  // namespace

void KeepModelErrors(const std::vector<JobPlan>& plans) {
  std::vector<double> errors = KeptErrors();
  std::set<Division> trained;  // plans of one division share a training
  for (const JobPlan& plan : plans)
    if (plan.measured_ms > 0 && trained.insert(plan.division).second)
      errors.push_back(plan.cost.step_ms / plan.measured_ms - 1);
  if (std::ssize(errors) > kMostErrors) errors.erase(errors.begin(), errors.end() - kMostErrors);
  WritePlanCache(NameOfErrors(), ErrorsText(errors));
}

ModelError KeptModelError() { return FittedError(KeptErrors()); }

ModelError FittedError(const std::vector<double>& errors) {
  if (std::ssize(errors) < kLeast) return {};
  std::vector<double> sizes;
  sizes.reserve(errors.size());
  for (const double error : errors) sizes.push_back(std::abs(error));
  return {.relative = std::max(kSmallest, Median(std::move(sizes))),
          .plans = static_cast<int>(errors.size())};
}

}  // namespace singa
