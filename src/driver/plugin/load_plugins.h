// Loads the plugins that a job names, before its conf is read: what they register may be in it.
#pragma once

#include <string>
#include <vector>

#include "singa/base/error.h"

namespace singa {

// Loads the plugin at `path`; one that is loaded already is left alone. Its code runs, so a file
// that anybody may write is refused. Throws ConfigError without a path: missing, no plugin, built
// for another singa, or one that cannot be loaded.
void LoadPlugin(const std::string& path);

// Loads those that `text`, a JobProto, and the -set options name. Returns what went wrong, each
// error at the field `plugin`; what else is wrong with the text is not looked for.
std::vector<ConfigError> LoadPluginsOf(const std::string& text,
                                       const std::vector<std::string>& options);

}  // namespace singa
