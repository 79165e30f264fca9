// Makes names of files and folders that are renamed when they are complete, or before they are
// removed.
#pragma once

#include <string>

namespace singa {

// Returns the part of a temporary name before its random digits.
std::string TemporaryStem(const std::string& path);
// Returns the name of a file that is to be renamed to `path`. Nobody can guess the name, since the
// folder may be open to others.
std::string TemporaryName(const std::string& path);

// Returns a path for messages, without the endings that TemporaryName and the writer of checkpoints
// (".old.") give to names in it.
std::string FinalName(const std::string& path);

}  // namespace singa
