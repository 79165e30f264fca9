#include "driver/command/command_line.h"

#include <gflags/gflags.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/text/edit_distance.h"
#include "base/text/parse_number.h"
#include "driver/arguments/arguments.h"
#include "driver/command/subcommand.h"
#include "driver/conf/diagnostic.h"
#include "driver/conf/set_option.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Subcommand::options says which subcommands take an option.
struct Option {
  const char* name;
  bool takes_value;
};
constexpr Option kOptions[] = {
    {"conf", true},    {"set", true},        {"plugin", true},     {"resume", false},
    {"test", false},   {"svg", false},       {"json", false},      {"steps", true},
    {"expand", false}, {"synthetic", false}, {"singa_conf", true}, {"singa_job", true},
    {"host", true},    {"trace", true},      {"flame", true},
};

std::string Quoted(const std::string& text) { return "\"" + Excerpt(text) + "\""; }

bool IsOption(const std::string& arg) { return arg.size() > 1 && arg[0] == '-'; }

// Returns whether a flag is glog's. gflags' own flags (-flagfile, -version, ...) are not offered.
bool IsLogFlag(const gflags::CommandLineFlagInfo& info) {
  const size_t slash = info.filename.find_last_of('/');
  return info.filename.compare(slash == std::string::npos ? 0 : slash + 1, 6, "gflags") != 0;
}

std::optional<gflags::CommandLineFlagInfo> FindLogFlag(const std::string& name) {
  gflags::CommandLineFlagInfo info;
  if (!gflags::GetCommandLineFlagInfo(name.c_str(), &info) || !IsLogFlag(info)) return {};
  return info;
}

bool IsFile(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& args) : args_(args) {}

  CommandLine Run() {
    line_.all = args_;
    line_.no_arguments = args_.empty();
    line_.help = std::any_of(args_.begin(), args_.end(), [](const std::string& arg) {
      return arg == "-h" || arg == "--h" || arg == "-help" || arg == "--help";
    });
    while (next_ < args_.size()) {
      const std::string& arg = args_[next_++];
      if (IsOption(arg))
        ReadOption(arg);
      else
        ReadWord(arg);
      if (reads_ == Subcommand::kItsOwn) {
        line_.args.assign(args_.begin() + static_cast<std::ptrdiff_t>(next_), args_.end());
        break;
      }
    }
    if (!line_.help && !line_.no_arguments) CheckConf();
    return line_;
  }

 private:
  [[noreturn]] void Fail(const std::string& text) const {
    throw UsageError(line_.subcommand, text);
  }

  // Returns "singa check", or "singa" for a training.
  std::string Name() const {
    return line_.subcommand.empty() ? "singa" : "singa " + line_.subcommand;
  }

  void ReadOption(const std::string& arg) {
    const size_t begin = arg[1] == '-' ? 2 : 1;
    const size_t equals = arg.find('=');
    name_ = arg.substr(begin, equals == std::string::npos ? equals : equals - begin);
    value_.reset();
    if (equals != std::string::npos) value_ = arg.substr(equals + 1);
    if (name_ == "h" || name_ == "help") {
      if (value_) Fail(StrCat("-", name_, " takes no value, has ", Quoted(*value_)));
      return;
    }
    if (name_ == "version" && !value_ && line_.subcommand.empty()) return Choose("version");
    if (name_ == "v" && !value_ && (next_ == args_.size() || !IsInteger(args_[next_]))) {
      line_.verbose = true;
      return;
    }
    for (const Option& option : kOptions)
      if (name_ == option.name) return ReadOwn(option, arg);
    if (!ReadLogFlag()) Unknown(arg);
  }

  void ReadOwn(const Option& option, const std::string& arg) {
    if (!Knows(option)) Fail(StrCat(Name(), " has no option ", Quoted(arg)));
    if (!option.takes_value) {
      if (value_) Fail(StrCat("-", name_, " takes no value, has ", Quoted(*value_)));
    } else {
      TakeValue();
    }
    Store();
  }

  bool Knows(const Option& option) const {
    const std::string& name = line_.subcommand.empty() ? "train" : line_.subcommand;
    const std::vector<std::string>& known = FindSubcommand(name)->options;
    return std::find(known.begin(), known.end(), option.name) != known.end();
  }

  // Takes the value after "=", or the next argument.
  void TakeValue() {
    if (!value_ && next_ < args_.size() && !IsFlag(args_[next_])) value_ = args_[next_++];
    if (!value_ || (value_->empty() && name_ != "set")) Fail(StrCat("-", name_, " needs a value"));
  }

  void Store() {
    if (name_ == "set") {
      if (value_->find('=') == std::string::npos)
        Fail(StrCat("-set needs path=value, is ", Quoted(*value_)));
      line_.sets.push_back(*value_);
      return;
    }
    if (name_ == "plugin") {
      line_.plugins.push_back(*value_);
      return line_.sets.push_back(AppendOption("plugin", *value_));
    }
    if (!seen_.insert(name_).second) Fail(StrCat("-", name_, " is given twice"));
    if (name_ == "conf") line_.conf = *value_;
    if (name_ == "singa_conf") line_.singa_conf = *value_;
    if (name_ == "host") line_.host = *value_;
    if (name_ == "trace") line_.trace = *value_;
    if (name_ == "flame") line_.flame = *value_;
    if (name_ == "resume") line_.resume = true;
    if (name_ == "svg") line_.svg = true;
    if (name_ == "expand") line_.expand = true;
    if (name_ == "test") line_.test = true;
    if (name_ == "json") line_.json = true;
    if (name_ == "synthetic") line_.synthetic = true;
    if (name_ == "singa_job") ReadInteger("an integer", &line_.singa_job);
    if (name_ != "steps") return;
    ReadInteger("an integer >= 1", &line_.steps);
    if (line_.steps < 1) Fail(StrCat("-steps must be >= 1, is ", line_.steps));
  }

  template <typename Integer>
  void ReadInteger(const char* kind, Integer* value) const {
    const std::optional<Integer> number = ParseNumber<Integer>(*value_);
    if (!number) Fail(StrCat("-", name_, " must be ", kind, ", is ", Quoted(*value_)));
    *value = *number;
  }

  bool ReadLogFlag() {
    auto flag = FindLogFlag(name_);
    if (!flag && name_.rfind("no", 0) == 0 && !value_) {
      flag = FindLogFlag(name_.substr(2));
      if (!flag || flag->type != "bool") return false;
      value_ = "false";
    }
    if (!flag) return false;
    if (flag->type == "bool") {
      if (!value_) value_ = "true";
    } else {
      TakeValue();
    }
    if (gflags::SetCommandLineOption(flag->name.c_str(), value_->c_str()).empty())
      Fail(StrCat("-", name_, " must be of type ", flag->type, ", is ", Quoted(*value_)));
    return true;
  }

  [[noreturn]] void Unknown(const std::string& arg) const {
    std::vector<std::string> known = {"help"};
    if (line_.subcommand.empty()) known.emplace_back("version");
    for (const Option& option : kOptions)
      if (Knows(option)) known.emplace_back(option.name);
    std::string guess = DidYouMean(name_, known);
    if (guess.empty()) {
      std::vector<gflags::CommandLineFlagInfo> flags;
      gflags::GetAllFlags(&flags);
      for (const auto& flag : flags)
        if (IsLogFlag(flag)) known.push_back(flag.name);
      guess = DidYouMean(name_, known);
    }
    if (!guess.empty()) guess.insert(guess.find('"') + 1, "-");
    Fail(StrCat("unknown option ", Quoted(arg.substr(0, arg.find('='))), guess));
  }

  // Reads a subcommand, or the file that it reads.
  void ReadWord(const std::string& word) {
    const Subcommand* const known = FindSubcommand(word);
    if (known && line_.subcommand.empty() && seen_.empty() && line_.sets.empty())
      return Choose(word);
    if (reads_ == Subcommand::kFile) return TakeFile(word);
    if (asked_help_ && line_.subcommand.empty() && line_.topic.empty()) {
      line_.topic = word;
      return;
    }
    if (!line_.subcommand.empty())
      Fail(StrCat(Name(), " takes no argument, has ", Quoted(word),
                  IsFile(word)
                      ? StrCat("; to check a job, type \"singa check ", Excerpt(word), "\"")
                      : ""));
    if (known)
      Fail(StrCat("unexpected argument ", Quoted(word), ": a subcommand comes first: singa ", word,
                  " ..."));
    if (IsFile(word))
      Fail(StrCat(
          "unexpected argument ", Quoted(word),
          line_.conf.empty() ? StrCat("; did you mean \"-conf ", Excerpt(word), "\"?") : ""));
    Fail(StrCat(seen_.empty() && line_.sets.empty() && !asked_help_ ? "unknown subcommand "
                                                                    : "unexpected argument ",
                Quoted(word), NearestSubcommand(word)));
  }

  // `help X` of a subcommand X is read as `--help X`.
  void Choose(const std::string& subcommand) {
    if (subcommand == "help") {
      line_.help = asked_help_ = true;
      return;
    }
    line_.subcommand = subcommand;
    reads_ = FindSubcommand(subcommand)->reads;
  }

  void TakeFile(const std::string& word) {
    if (!line_.conf.empty()) Fail(StrCat(Name(), " takes one file, a second is ", Quoted(word)));
    line_.conf = word;
    seen_.insert("conf");
  }

  void CheckConf() const {
    if (!line_.conf.empty()) return;
    if (line_.subcommand.empty()) Fail("-conf is missing: singa -conf job.conf");
    if (reads_ == Subcommand::kFile) Fail(StrCat("a file is missing: ", Name(), " job.conf"));
  }

  const std::vector<std::string>& args_;
  size_t next_ = 0;
  CommandLine line_;
  Subcommand::Reads reads_ = Subcommand::kNothing;
  bool asked_help_ = false;     // by `help X`
  std::set<std::string> seen_;  // options other than -set
  std::string name_;            // name of the option being read
  std::optional<std::string> value_;
};

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& args) { return Parser(args).Run(); }

}  // namespace singa
