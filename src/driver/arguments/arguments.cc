#include "driver/arguments/arguments.h"

#include <algorithm>
#include <utility>

#include "base/text/counted.h"
#include "base/text/edit_distance.h"
#include "driver/conf/set_option.h"

namespace singa {
namespace {

bool Holds(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

bool IsInteger(const std::string& text) {
  const size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  return text.size() > first && text.find_first_not_of("0123456789", first) == std::string::npos;
}

bool IsFlag(const std::string& arg) { return arg.size() > 1 && arg[0] == '-' && !IsInteger(arg); }

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
  if (Has(name) && !Holds(known.repeated, name)) ThrowUsage("-" + name + " is given twice");
  if (is_switch && has_value) ThrowUsage("-" + name + " takes no value");
  if (is_switch)
    values_.emplace_back(name, "");
  else if (has_value)
    values_.emplace_back(name, text.substr(equals + 1));
  else if (*next < args.size() && !IsFlag(args[*next]))
    values_.emplace_back(name, args[(*next)++]);
  else
    ThrowUsage("-" + name + " needs a value");
}

std::vector<std::string> Arguments::Settings() const {
  std::vector<std::string> all;
  for (const auto& [flag, value] : values_) {
    if (flag == "plugin") all.push_back(AppendOption("plugin", value));
    if (flag != "set") continue;
    if (value.find('=') == std::string::npos)
      ThrowUsage("-set needs path=value, is \"" + value + "\"");
    all.push_back(value);
  }
  return all;
}

std::vector<std::string> Arguments::All(const std::string& flag) const {
  std::vector<std::string> values;
  for (const auto& [name, value] : values_)
    if (name == flag) values.push_back(value);
  return values;
}

const std::vector<std::string>& Arguments::Operands(const std::string& names) const {
  const auto wanted = 1 + std::count(names.begin(), names.end(), ' ');
  if (std::ssize(operands_) != wanted)
    ThrowUsage(StrCat("needs ", Counted(wanted, "operand"), ", got ", operands_.size(), ": singa ",
                      command_, " ", names));
  return operands_;
}

void Arguments::ThrowUsage(const std::string& message) const {
  throw UsageError(command_.substr(0, command_.find(' ')), message);
}

}  // namespace singa
