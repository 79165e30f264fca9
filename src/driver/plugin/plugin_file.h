// CheckPluginFile checks a plugin's file before its code runs.
#pragma once

#include <string>

namespace singa {

// Throws ConfigError without a path if `path` is missing, may be changed by anybody, is no plugin,
// or was built for another singa; the text names the difference.
void CheckPluginFile(const std::string& path);

}  // namespace singa
