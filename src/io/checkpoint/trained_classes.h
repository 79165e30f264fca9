// The names of the classes that a net was trained on, as its checkpoint says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/checkpoint/manifest.h"

namespace singa {

inline constexpr char kClasses[] = "classes";  // in Manifest::run; no entry: no names were known

// By label.
void SetClasses(const std::vector<std::string>& names, std::map<std::string, RunValue>* run);

// Returns the names that the last of these checkpoints and files says; none if no file says any.
std::vector<std::string> TrainedClasses(const std::vector<std::string>& files);

}  // namespace singa
