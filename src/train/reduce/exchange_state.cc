#include "train/reduce/exchange_state.h"

#include "singa/base/str_cat.h"

namespace singa {

std::string StatePrefix(std::string_view kind) { return StrCat(kind, "/"); }

std::string StatePrefix(std::string_view kind, int group) {
  return StrCat(StatePrefix(kind), "group", group, "/");
}

std::string StatePrefix(std::string_view kind, int group, const std::vector<SumNode>& nodes) {
  std::string name = StatePrefix(kind, group) + "workers";
  const char* between = "";
  for (const SumNode& node : nodes) {
    name += StrCat(between, node.first, "-", node.last - 1);
    between = "+";
  }
  return name + "/";
}

std::string CommonPrefix(std::string_view kind) { return StatePrefix(kind) + "basis/"; }

bool IsOfWorker(std::string_view name, std::string_view kind) {
  return name.starts_with(StatePrefix(kind)) && !name.starts_with(CommonPrefix(kind));
}

}  // namespace singa
