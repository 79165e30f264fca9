// These functions load the plugins that a job names. This comes before its conf is read, which may
// use what they register.
#pragma once

#include <string>

#include "singa/base/error.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Loads the plugin at `path`, unless it is loaded already. Its code runs, so a file that anybody
// may write is refused. Throws ConfigError without a path if the file is missing, is no plugin, was
// built for another singa or cannot be loaded. Also throws it, at each call, if the plugin
// registers a name that exists. REQUIRES: no other thread is in a call of the library.
void LoadPlugin(const std::string& path);

// Loads the plugins of a job that has no file. Throws the first ConfigError, under its field.
void LoadPluginsOf(const JobProto& job);

// Returns "layer "kReLU" (in relu.cc, and again in mine.cc)" for all names that the program
// registers twice; "" for none. Only the first of each would be used. Plugins that do so are
// refused.
std::string ProgramRegistersTwice();

}  // namespace singa
