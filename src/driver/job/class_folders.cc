#include "driver/job/class_folders.h"

#include "singa/base/error.h"

namespace singa {

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

}  // namespace singa
