#include "train/state/param_sources.h"

#include <algorithm>

#include "io/checkpoint/shape_fit.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMaxShapes = 20;  // most differing shapes that a message lists
constexpr size_t kMaxNames = 4;    // most params of a file or a net that a message names

std::string PathOf(size_t index) { return StrCat("checkpoint_path[", index, "]"); }

std::string ListText(const std::vector<std::string>& items) {
  std::string text;
  for (size_t i = 0; i < std::min(items.size(), kMaxShapes); ++i)
    text += (i ? "; " : "") + items[i];
  if (items.size() > kMaxShapes) text += StrCat("; and ", items.size() - kMaxShapes, " more");
  return text;
}

// Returns the text "a", "b", ...
std::string NamesText(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i)
    text += StrCat(i ? ", " : "", "\"", Printable(names[i]), "\"");
  return names.size() > kMaxNames ? text + ", ..." : text;
}

std::vector<std::string> NamesOf(const ParamTable& params) {
  std::vector<std::string> names;
  for (const auto& param : params.params()) names.push_back(param->name());
  return names;
}

}  // namespace

void ParamSources::Add(size_t index, const std::string& path, const ParamsFile& file) {
  Source& source = sources_.emplace_back();
  source.index = index, source.path = path;
  const bool foreign = file.kind() == ParamsFile::Kind::kSafetensors;  // maybe of another program
  std::vector<std::string> names;
  std::vector<ParamShapes> shapes;
  for (const auto& [name, entry] : file.params()) {
    if (source.names.size() <= kMaxNames) source.names.push_back(name);
    const Param* param = params_.Find(name);
    if (!param) {
      unused_.insert(name);
      continue;
    }
    if (!source.gives) version_ = 0;
    source.gives = true;
    version_ = std::max(version_, entry.version);
    names.push_back(name);
    shapes.push_back({entry.shape, param->shape(), foreign && param->transposed()});
  }
  const std::vector<ShapeFit> fits = FitsOf(shapes);
  for (size_t i = 0; i < fits.size(); ++i) {
    transposed_.erase(names[i]);
    if (fits[i] != ShapeFit::kNone) loaded_by_[names[i]] = index;
    if (fits[i] == ShapeFit::kTransposed) transposed_.insert(names[i]);
    if (fits[i] == ShapeFit::kNone)
      source.shapes.push_back(
          StrCat("param \"", Printable(names[i]), "\" has the shape ", shapes[i].in_file.ToString(),
                 source.shapes.empty() ? StrCat(" in \"", file.path(), "\"") : std::string(),
                 ", in the net ", shapes[i].in_net.ToString()));
  }
}

ConfigErrors ParamSources::Problems(Match match) const {
  ConfigErrors errors;
  const bool one_gives = std::any_of(sources_.begin(), sources_.end(),
                                     [](const Source& source) { return source.gives; });
  for (const Source& source : sources_) {
    const bool must_give = match == Match::kEachFile || (!one_gives && &source == &sources_.back());
    std::string text;
    const bool none = source.names.empty() && params_.params().empty();  // and none is missing
    if (!source.gives && must_give && !none)
      text = StrCat("no param of \"", source.path, "\" is one of the net's: it has ",
                    NamesText(source.names), ", the net ", NamesText(NamesOf(params_)));
    else
      text = ListText(source.shapes);
    if (!text.empty()) errors.push_back(ConfigError(PathOf(source.index), text));
  }
  return errors;
}

InitReport ParamSources::Report() const {
  InitReport report;
  for (const auto& param : params_.params())
    (loaded_by_.count(param->name()) ? report.loaded : report.initialised).push_back(param->name());
  report.unused.assign(unused_.begin(), unused_.end());
  report.loaded_by = loaded_by_;
  report.transposed = transposed_;
  report.version = version_;
  return report;
}

InitReport JudgeParamFiles(const std::vector<std::string>& files, const ParamTable& params,
                           ConfigErrors* errors) {
  ParamSources all(&params);
  for (size_t i = 0; i < files.size(); ++i) {
    try {
      all.Add(i, files[i], LoadParams(files[i], Reading::kHeaders));
    } catch (const Error& error) {
      errors->push_back(ConfigError(PathOf(i), error.what(), error.code()));
    }
  }
  for (const ConfigError& error : all.Problems(Match::kEachFile)) errors->push_back(error);
  return all.Report();
}

}  // namespace singa
