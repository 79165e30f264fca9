#include "driver/template/layer_project.h"

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/file/file_system.h"
#include "base/text/counted.h"
#include "driver/arguments/arguments.h"
#include "driver/template/layer_template.h"
#include "driver/version.h"
#include "io/file/new_file.h"
#include "io/file/new_folder.h"
#include "singa/base/philox.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

// Words of a template's files, and what replaces them.
using TemplateWords = std::vector<std::pair<std::string, std::string>>;

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }

// Returns the name in snake_case without "Layer" at its end: "gate_unit" of "GateUnitLayer".
std::string FileNameOf(const std::string& name) {
  std::string words;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool begins = i > 0 && IsCapital(c) &&
                        (!IsCapital(name[i - 1]) || (i + 1 < name.size() && IsSmall(name[i + 1])));
    if ((begins || c == '_') && !words.empty() && words.back() != '_') words += '_';
    if (c != '_') words += IsCapital(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (words.ends_with('_')) words.pop_back();
  constexpr std::string_view kEnd = "_layer";  // which the template adds
  if (words.ends_with(kEnd)) words.resize(words.size() - kEnd.size());
  return words;
}

// Returns "GateUnit" of "gate_unit".
std::string TypeNameOf(const std::string& file_name) {
  std::string name;
  bool begins = true;
  for (const char c : file_name) {
    if (c != '_') name += begins && IsSmall(c) ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '_';
  }
  return name;
}

// Throws unless the name can be a user_type and a name in C++, and no layer has it yet.
void CheckLayerName(const Arguments& args, const std::string& name) {
  constexpr size_t kMost = 60;
  bool good = !name.empty() && name.size() <= kMost && (IsCapital(name[0]) || IsSmall(name[0]));
  for (const char c : name)
    good = good && (IsCapital(c) || IsSmall(c) || (c >= '0' && c <= '9') || c == '_');
  if (!good)
    args.ThrowUsage(
        StrCat("a layer's name must have letters, digits and _, a letter first, and at "
               "most ",
               kMost, " of them; is \"", Printable(name), "\""));
  LayerType type;
  for (const std::string& taken : {name, "k" + name})
    if (LayerType_Parse(taken, &type) || UserLayers().Has(taken))
      args.ThrowUsage(StrCat("there is a layer ", taken, " already; choose another name"));
}

TemplateWords WordsFor(const std::string& name) {
  constexpr uint32_t kFirstNumber = 1001, kNumbers = 100;  // LayerProto's extensions
  const std::string file = FileNameOf(name);
  return {{"@NAME@", name},
          {"@FILE@", file},
          {"@CLASS@", TypeNameOf(file)},
          {"@NUMBER@", StrCat(kFirstNumber + HashName(name) % kNumbers)},
          {"@VERSION@", kSingaVersion}};
}

std::string Replaced(std::string text, const TemplateWords& words) {
  for (const auto& [word, value] : words)
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size())
      text.replace(at, word.size(), value);
  return text;
}

void WriteProject(const std::string& dir, const TemplateWords& words) {
  constexpr std::string_view kOwn = "layer.";
  PosixFileSystem disk;
  disk.MakeDirectories(dir);
  for (const TemplateFile& file : LayerTemplate()) {
    const std::string_view name = file.name;
    const std::string own = name.starts_with(kOwn) ? Replaced("@FILE@_", words) : "";
    NewFile to(&disk, StrCat(dir, "/", own, name));
    to.Write(Replaced(file.text, words));
    to.Commit();
  }
}

}  // namespace

int NewLayer(const std::vector<std::string>& words) {
  const Arguments args("new", words, {});
  const std::vector<std::string>& operands = args.operands();
  if (operands.size() != 3) args.ThrowUsage("needs a name and a folder: singa new layer NAME DIR");
  const std::string &name = operands[1], &dir = operands[2];
  CheckLayerName(args, name);
  if (dir.empty()) args.ThrowUsage("the name of the folder is empty");
  RequireNewFolder(dir);
  WriteProject(dir, WordsFor(name));
  std::fprintf(stderr, "wrote %s: %s; README.md says how to build, check and train\n",
               Printable(dir).c_str(), Counted(LayerTemplate().size(), "file").c_str());
  return kExitOk;
}

}  // namespace singa
