#include "driver/job/class_folders.h"

#include <string>
#include <vector>

#include "singa/base/error.h"

namespace singa {
namespace {

// What is wrong; "": nothing, or names are not known.
std::string OtherLabels(const std::vector<std::string>& train,
                        const std::vector<std::string>& test) {
  if (train.empty()) return "";
  for (size_t i = 0; i < test.size(); ++i) {
    if (i < train.size() && test[i] == train[i]) continue;
    const std::string there = i < train.size() ? StrCat("\"", train[i], "\"") : "no class";
    return StrCat("label ", i, " is class folder \"", test[i], "\", in training ", there);
  }
  return "";
}

}  // namespace

void WarnOfOtherLabels(Trainer* trainer, Progress* progress) {
  const std::vector<std::string> train = trainer->net().ClassNames();
  for (Phase phase : {kTest, kVal}) {
    Evaluator* evaluator = trainer->evaluator(phase);
    if (train.empty() || !evaluator) continue;
    const std::string other = OtherLabels(train, evaluator->net().ClassNames());
    if (!other.empty())
      progress->Warn(StrCat("phase ", Phase_Name(phase), ": ", other,
                            ": folders are numbered in the order of their names"));
  }
}

}  // namespace singa
