// MovedFolder finds class folders of a test whose labels mean other classes in training.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Folders are numbered in the order of their names, so one that a test lacks, or has more, changes
// the labels of those behind it. Returns an error, and what the user can do, if a class that both
// have has another label in `own` than in `trained`; else "".
std::string MovedFolder(const std::vector<std::string>& trained,
                        const std::vector<std::string>& own);

}  // namespace singa
