// What can be said of a plugin's file before its code runs.
#pragma once

#include <string>

namespace singa {

// Throws ConfigError without a path where `path` is missing, may be changed by anybody, is no
// plugin, or was built for another singa; the text says what differs.
void CheckPluginFile(const std::string& path);

}  // namespace singa
