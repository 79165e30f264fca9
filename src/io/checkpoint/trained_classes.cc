#include "io/checkpoint/trained_classes.h"

#include <algorithm>
#include <sstream>

#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/find_checkpoint.h"
#include "singa/base/error.h"

namespace singa {
namespace {

// Names of folders have no '/', which separates them. Words of class_names may have it, but no line
// break: a '/' before the first name says that line breaks separate names.
std::vector<std::string> Split(const std::string& text) {
  const bool lines = text.starts_with('/');
  std::vector<std::string> names;
  std::istringstream rest(text.substr(lines ? 1 : 0));
  for (std::string name; std::getline(rest, name, lines ? '\n' : '/');) names.push_back(name);
  return names;
}

}  // namespace

void SetClasses(const std::vector<std::string>& names, std::map<std::string, RunValue>* run) {
  const bool lines = std::ranges::any_of(
      names, [](const std::string& name) { return name.find('/') != name.npos; });
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? (lines ? "/" : "") : lines ? "\n" : "/") + name;
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
