// These functions name a run's event files, and cut them back where a run goes on. A start of a run
// writes one file, events.out.tfevents.<seconds since 1970>.singa. Other programs' event files stay
// as they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file/file_system.h"

namespace singa {

// Returns the names of a folder's event files of this program, the oldest first. Throws WriteError.
std::vector<std::string> ListEventFiles(FileSystem* files, const std::string& folder);

// Returns a name that comes after those of all event files in the folder, as TensorBoard reads
// files by their names.
std::string NextEventFile(FileSystem* files, const std::string& folder);

// Removes events of rows and histograms of group g from step first_steps[g] on, events of groups
// beyond first_steps, and all that follows a damaged event. A file without another such event is
// removed. The result is durable on return. Throws FileError.
void CutEventFiles(FileSystem* files, const std::string& folder,
                   const std::vector<int64_t>& first_steps);

}  // namespace singa
