#include "driver/plugin/trial.h"

#include <dlfcn.h>

#include <chrono>

#include "base/system/trial.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

TrialEnd Load(const std::string& path, std::chrono::seconds limit) {
  try {
    return RunTrial([&] { ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }, limit);
  } catch (const Error& why) {
    throw ConfigError("", StrCat("cannot be tried: ", why.what()), why.code());
  }
}

}  // namespace

std::string TryToLoad(const std::string& path) {
  constexpr std::chrono::seconds kLimit{20};
  const auto [outcome, said] = Load(path, kLimit);
  if (outcome == TrialEnd::kReturned) return "";
  if (outcome == TrialEnd::kLate) return StrCat("is not loaded after ", kLimit.count(), " s");
  return StrCat("ends the process while it is loaded", said.empty() ? "" : ": ", Printable(said));
}

}  // namespace singa
