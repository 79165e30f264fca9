#include "driver/command/subcommand.h"

#include <algorithm>

#include "base/text/edit_distance.h"

namespace singa {
namespace {

std::vector<Subcommand>& Table() {
  static std::vector<Subcommand> table;
  return table;
}

}  // namespace

bool AddSubcommand(const Subcommand& subcommand) {
  const auto behind = [&](const Subcommand& known) { return known.place > subcommand.place; };
  Table().insert(std::find_if(Table().begin(), Table().end(), behind), subcommand);
  return true;
}

const std::vector<Subcommand>& Subcommands() { return Table(); }

const Subcommand* FindSubcommand(const std::string& name) {
  const auto it = std::find_if(Table().begin(), Table().end(),
                               [&](const Subcommand& known) { return name == known.name; });
  return it == Table().end() ? nullptr : &*it;
}

std::string NearestSubcommand(const std::string& name) {
  std::vector<std::string> names;
  for (const Subcommand& known : Table()) names.emplace_back(known.name);
  return DidYouMean(name, names);
}

}  // namespace singa
