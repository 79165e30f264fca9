// Loads the plugins that a job names, before its conf is read: what they register may be in it.
#pragma once

#include <string>

#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Loads the plugin at `path`; one that is loaded already is left alone. Its code runs, so a file
// that anybody may write is refused. No other thread may be in a call of the library. Throws
// ConfigError without a path: missing, no plugin, built for another singa, one that cannot be
// loaded, or that registers a name that there is already, again each time it is asked for.
void LoadPlugin(const std::string& path);

// Loads those of a job that has no file. Throws the first ConfigError, under its field.
void LoadPluginsOf(const JobProto& job);

// "layer "kReLU" (in relu.cc, and again in mine.cc)" for all names that the program registers
// twice; "" for none. Only the first of each would ever be made. Plugins that do so are refused.
std::string ProgramRegistersTwice();

}  // namespace singa
