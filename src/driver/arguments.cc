#include "driver/arguments.h"

#include <algorithm>
#include <utility>

#include "base/edit_distance.h"

namespace singa {
namespace {

bool Holds(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

Arguments::Arguments(std::string command, const std::vector<std::string>& args,
                     const KnownFlags& known)
    : command_(std::move(command)) {
  for (size_t next = 0; next < args.size();) {
    const std::string& arg = args[next++];
    if (arg.size() < 2 || arg[0] != '-')
      operands_.push_back(arg);
    else
      ReadFlag(arg.substr(arg[1] == '-' ? 2 : 1), known, args, &next);
  }
}

void Arguments::ReadFlag(const std::string& text, const KnownFlags& known,
                         const std::vector<std::string>& args, size_t* next) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const bool has_value = equals != std::string::npos, is_switch = Holds(known.switches, name);
  if (!is_switch && !Holds(known.values, name) && !Holds(known.repeated, name)) {
    std::vector<std::string> all = known.values;
    all.insert(all.end(), known.switches.begin(), known.switches.end());
    all.insert(all.end(), known.repeated.begin(), known.repeated.end());
    ThrowUsage("no flag -" + name + DidYouMean(name, all));
  }
  if (values_.count(name) && !Holds(known.repeated, name))
    ThrowUsage("-" + name + " is given twice");
  if (is_switch && has_value) ThrowUsage("-" + name + " takes no value");
  if (is_switch)
    values_[name].emplace_back();
  else if (has_value)
    values_[name].push_back(text.substr(equals + 1));
  else if (*next < args.size())
    values_[name].push_back(args[(*next)++]);
  else
    ThrowUsage("-" + name + " needs a value");
}

const std::vector<std::string>& Arguments::Operands(const std::string& what, size_t count) const {
  if (operands_.size() != count)
    ThrowUsage(StrCat("needs ", what, ", got ", operands_.size(), " operands"));
  return operands_;
}

void Arguments::ThrowUsage(const std::string& message) const {
  const std::string program = command_.substr(0, command_.find(' '));
  throw Error(kExitUsage, StrCat(message, "; see singa ", program, " -help"));
}

}  // namespace singa
