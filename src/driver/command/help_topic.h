// HelpOn is the text of `singa help X` for a layer type, another value, a field or a message.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Loads plugins, and those of the job `conf` whatever else is wrong with it; "": no job. The other
// functions then know their layers. Throws ConfigError.
void LoadPluginsForHelp(const std::vector<std::string>& plugins, const std::string& conf);

// X is a layer type or a value of another enum (kConvolution, kSGD), a field by its name or path
// (train_steps, JobProto.train_steps, updater.momentum), a message (UpdaterProto), or a word
// such as csv, labels, split or report. Throws UsageError for another word.
std::string HelpOn(const std::string& topic);

// Returns the text of a type of layer. Throws UsageError with the command and the nearest type if
// there is none.
std::string HelpOnLayer(const std::string& command, const std::string& type);

}  // namespace singa
