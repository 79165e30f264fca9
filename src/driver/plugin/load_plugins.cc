#include "driver/plugin/load_plugins.h"

#include <dlfcn.h>

#include <cfenv>
#include <map>
#include <span>

#include "driver/plugin/plugin_file.h"
#include "driver/plugin/trial.h"
#include "singa/base/registry.h"

namespace singa {
namespace {

std::string Listed(std::span<const TwiceRegistered> twice) {
  std::string text;
  for (const auto& [product, name, first, again] : twice)
    text += StrCat(text.empty() ? "" : ", ", product, " \"", Printable(name), "\" (in ",
                   Printable(first), ", and again in ", Printable(again), ")");
  return text;
}

// Opens a library and restores the floating-point mode: a library linked with -ffast-math makes the
// processor treat tiny numbers as 0 in all code.
void* Open(const std::string& file) {
  std::fenv_t before;
  std::fegetenv(&before);
  void* const loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::fesetenv(&before);
  return loaded;
}

// Loads a plugin. One that registers a name twice is refused but stays loaded, as pointers to its
// code may exist.
void Load(const std::string& file) {
  static std::map<void*, std::string> refused;  // error text by the library's handle
  CheckPluginFile(file);
  if (void* loaded = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
    ::dlclose(loaded);
    if (refused.count(loaded)) throw ConfigError("", refused[loaded]);
    return;
  }
  const std::string trouble = TryToLoad(file);
  if (!trouble.empty()) throw ConfigError("", trouble);
  std::vector<TwiceRegistered>& twice = RegisteredTwice();
  const size_t before = twice.size();
  void* const loaded = Open(file);
  if (!loaded) throw ConfigError("", StrCat("cannot be loaded: ", Printable(::dlerror())));
  if (twice.size() == before) return;
  const std::string text =
      "registers names that are registered already: " + Listed(std::span(twice).subspan(before));
  twice.resize(before);
  refused[loaded] = text;
  throw ConfigError("", text);
}

}  // namespace

void LoadPlugin(const std::string& path) {
  try {
    // Add "./", as dlopen would search the system's folders for a name without a slash.
    Load(path.find('/') == std::string::npos ? "./" + path : path);
  } catch (const ConfigError& error) {
    throw ConfigError("", StrCat("\"", Printable(path), "\" ", error.message()), error.code());
  }
}

void LoadPluginsOf(const JobProto& job) {
  for (int i = 0; i < job.plugin_size(); ++i) {
    try {
      LoadPlugin(job.plugin(i));
    } catch (const ConfigError& error) {
      throw error.Under(StrCat("plugin[", i, "]"));
    }
  }
}

std::string ProgramRegistersTwice() { return Listed(RegisteredTwice()); }

}  // namespace singa
