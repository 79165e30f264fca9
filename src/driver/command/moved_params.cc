#include "driver/command/moved_params.h"

#include <algorithm>
#include <set>

#include "base/text/edit_distance.h"
#include "io/checkpoint/json_text.h"
#include "io/checkpoint/shape_fit.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostProblems = 20;  // that an error shows

std::vector<std::string> NamesOf(const ParamsFile& file) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : file.params()) names.push_back(name);
  return names;
}

}  // namespace

std::string MovedParams::PlaceOf(const NamePair& pair) const {
  return StrCat(map_, ": line ", pair.line, ": ");
}

StoredTensor MovedParams::Transposed(const StoredTensor& matrix) {
  const int64_t rows = matrix.shape[0], columns = matrix.shape[1];
  const auto* const from = static_cast<const float*>(matrix.data);
  std::vector<float>& to = transposed_.emplace_back(matrix.shape.size());
  for (int64_t i = 0; i < rows && !to.empty(); ++i)  // an empty matrix may have 2^60 rows
    for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  return Stored(matrix.name, {columns, rows}, to.data());
}

bool MovedParams::IsTransposed(const std::string& in_net) const {
  return std::any_of(pairs_.begin(), pairs_.end(),
                     [&](const NamePair& pair) { return pair.transpose && pair.in_net == in_net; });
}

std::string MovedParams::NameInNet(const std::string& in_file) const {
  const auto pair = std::find_if(pairs_.begin(), pairs_.end(), [&](const NamePair& candidate) {
    return candidate.in_file == in_file;
  });
  return pair == pairs_.end() ? in_file : pair->in_net;
}

StoredTensor MovedParams::Moved(const NamePair& pair, const ParamsFile::Entry& entry, bool to_net) {
  const std::string& name = to_net ? pair.in_net : pair.in_file;
  StoredTensor tensor = Stored(name, entry.shape, entry.values.data());
  if (to_net && pair.shape && !(*pair.shape == entry.shape))
    AddProblem(StrCat(PlaceOf(pair), Quote(pair.in_file), " has the shape ", entry.shape.ToString(),
                      ", not ", pair.shape->ToString()));
  if (pair.transpose && entry.shape.dims() != 2) {
    AddProblem(StrCat(PlaceOf(pair), "only a matrix can be transposed; ", Quote(name),
                      " has the shape ", entry.shape.ToString()));
    return tensor;
  }
  if (pair.transpose) tensor = Transposed(tensor);
  if (to_net || !pair.shape) return tensor;
  if (!SameOrder(*pair.shape, tensor.shape))
    AddProblem(StrCat(PlaceOf(pair), Quote(pair.in_net), " has the shape ", tensor.shape.ToString(),
                      ", which cannot become ", pair.shape->ToString()));
  tensor.shape = *pair.shape;
  return tensor;
}

std::vector<StoredTensor> MovedParams::Move(const ParamsFile& file, bool to_net) {
  std::vector<StoredTensor> tensors;
  std::set<std::string> moved, taken;
  for (const NamePair& pair : pairs_) {
    const std::string& from = to_net ? pair.in_file : pair.in_net;
    const auto entry = file.params().find(from);
    if (entry == file.params().end()) {
      const bool shown = problems_.size() < kMostProblems;
      AddProblem(StrCat(PlaceOf(pair), "there is no param ", Quote(from),
                        shown ? DidYouMean(from, NamesOf(file)) : std::string()));
      continue;
    }
    moved.insert(from);
    taken.insert(tensors.emplace_back(Moved(pair, entry->second, to_net)).name);
  }
  for (const auto& [name, entry] : file.params()) {
    if (moved.contains(name)) continue;
    if (taken.contains(name))
      AddProblem(StrCat(map_, ": two params get the name ", Quote(name),
                        ": one by the map, and one that the map does not rename"));
    tensors.push_back(Stored(name, entry.shape, entry.values.data()));
  }
  return tensors;
}

std::vector<StoredTensor> MovedParams::ToNet(const ParamsFile& file) { return Move(file, true); }
std::vector<StoredTensor> MovedParams::ToFile(const ParamsFile& file) { return Move(file, false); }

void MovedParams::ThrowProblems(const std::string& file) const {
  if (problems_.empty()) return;
  std::string text;
  for (size_t i = 0; i < std::min(problems_.size(), kMostProblems); ++i)
    text += (i ? "; " : "") + problems_[i];
  if (problems_.size() > kMostProblems)
    text += StrCat("; and ", problems_.size() - kMostProblems, " more");
  throw DataError(file, -1, text);
}

}  // namespace singa
