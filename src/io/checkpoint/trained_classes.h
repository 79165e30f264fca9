// A checkpoint stores the names of the classes that its net was trained on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/manifest.h"

namespace singa {

inline constexpr char kClasses[] = "classes";  // in Manifest::run; no entry: no names were known

// Stores the names, which are in the order of labels.
void SetClasses(const std::vector<std::string>& names, std::map<std::string, RunValue>* run);

// Returns the names in the last of these checkpoints and files that has any; else none.
std::vector<std::string> TrainedClasses(const std::vector<std::string>& files);

}  // namespace singa
