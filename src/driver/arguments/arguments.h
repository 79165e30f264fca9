// Arguments holds flags and operands of a subcommand that reads its own (data, export, predict).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/parse_number.h"
#include "singa/base/error.h"

namespace singa {

// Wrong use of `subcommand` ("": singa itself). The program points to its help.
class UsageError : public Error {
 public:
  UsageError(std::string subcommand, const std::string& message)
      : Error(kExitUsage, message), subcommand_(std::move(subcommand)) {}
  const std::string& subcommand() const { return subcommand_; }

 private:
  std::string subcommand_;
};

// Flags that a subcommand accepts.
struct KnownFlags {
  std::vector<std::string> values;         // -name value or -name=value, once
  std::vector<std::string> switches = {};  // without a value
  std::vector<std::string> repeated = {};  // as `values`, any number of times
};

// Returns whether `arg` is a flag, not a value: it begins with a dash, and is neither "-" nor an
// integer.
bool IsFlag(const std::string& arg);
bool IsInteger(const std::string& text);

// Flags have one or two dashes. Words without a dash, and "-", are operands.
class Arguments {
 public:
  // Parses `args`, which follow `command` ("data convert"). Throws Error(kExitUsage).
  Arguments(std::string command, const std::vector<std::string>& args, const KnownFlags& known);

  bool Has(const std::string& flag) const { return !All(flag).empty(); }
  std::string Get(const std::string& flag, const std::string& missing = "") const {
    return Has(flag) ? All(flag).back() : missing;
  }
  std::vector<std::string> All(const std::string& flag) const;
  // Returns the values of -set and -plugin, in order, each as "path=value". Throws if one has
  // another form.
  std::vector<std::string> Settings() const;
  const std::vector<std::string>& operands() const { return operands_; }
  // Returns the operands. Throws unless there is one for each word of `names`, such as "SRC DST".
  const std::vector<std::string>& Operands(const std::string& names) const;

  // Throws Error(kExitUsage) with a hint at the command's help.
  [[noreturn]] void ThrowUsage(const std::string& message) const;

  // `wanted`: for people, the form of the flag's value, if it is not one number.
  template <typename T>
  T ToNumber(const std::string& flag, std::string_view text, const std::string& wanted = "") const {
    const std::optional<T> number = ParseNumber<T>(text);
    if (!number)
      ThrowUsage(StrCat("-", flag, ": \"", text, "\" is not a valid number",
                        wanted.empty() ? "" : ": ", wanted));
    return *number;
  }

 private:
  void ReadFlag(const std::string& text, const KnownFlags& known,
                const std::vector<std::string>& args, size_t* next);

  std::string command_;
  std::vector<std::pair<std::string, std::string>> values_;  // flags and values, as given
  std::vector<std::string> operands_;
};

}  // namespace singa
