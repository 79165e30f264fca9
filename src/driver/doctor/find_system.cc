#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>

#include "base/text/formatted.h"
#include "driver/doctor/finding.h"
#include "driver/version.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr std::time_t kPast = 1704067200;    // 2024-01-01, before this program existed
constexpr std::time_t kFuture = 4102444800;  // 2100-01-01

void FindLocale(Findings* found) {
  std::string value = "C";
  for (const char* name : {"LC_ALL", "LC_NUMERIC", "LANG"}) {
    const char* setting = std::getenv(name);
    if (!setting || !*setting) continue;
    value = StrCat(name, "=", setting);
    break;
  }
  Finding finding{"locale", value};
  const std::string number = Formatted(0.5, "%.1f");
  if (number != "0.5") {
    finding.status = Finding::kFail;
    finding.value += StrCat(", which writes one half as ", number);
    finding.advice = "set LC_NUMERIC=C";
  }
  found->push_back(finding);
}

void FindClock(Findings* found) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  char text[32] = "?";
  if (gmtime_r(&now, &utc)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc);
  Finding finding{"clock", text};
  if (now < kPast || now > kFuture) {
    finding.status = Finding::kWarn;
    finding.advice = "the clock is wrong: rows, logs and checkpoints will have wrong times";
  }
  found->push_back(finding);
}

// Returns whether PATH has the program.
bool HasProgram(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::stringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access(StrCat(folder, "/", name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

void FindVersions(Findings* found) {
  for (const auto& [name, value] : Versions())
    if (name != "instruction set") found->push_back({name, value});  // reported with the processor
}

void FindSystem(Findings* found) {
  FindLocale(found);
  FindClock(found);
  if (HasProgram("dot"))
    found->push_back({"Graphviz's dot", "is there"});
  else
    found->push_back({"Graphviz's dot", "is not there", Finding::kWarn,
                      "`singa graph -svg` needs it: apt install graphviz"});
}

}  // namespace singa
