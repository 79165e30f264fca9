#include "io/checkpoint/trained_classes.h"

#include <sstream>

#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/find_checkpoint.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Splits at '/': classes are names of folders, which have no '/'.
std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream rest(text);
  for (std::string name; std::getline(rest, name, '/');) names.push_back(name);
  return names;
}

}  // namespace

void SetClasses(const std::vector<std::string>& names, std::map<std::string, RunValue>* run) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "/") + name;
  if (!text.empty()) (*run)[kClasses] = text;
}

std::vector<std::string> TrainedClasses(const std::vector<std::string>& files) {
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    try {
      if (FindTrainedPath(*file).kind == TrainedPath::kFile) continue;
      const auto checkpoint = OpenCheckpoint(FindCheckpoints(*file).front().dir);
      const auto& run = checkpoint->manifest().run;
      if (const auto it = run.find(kClasses); it != run.end()) return Split(it->second.text());
    } catch (const Error&) {  // a file of v0.3, or a checkpoint that its job has just removed
    }
  }
  return {};
}

}  // namespace singa
