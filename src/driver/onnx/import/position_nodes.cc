// Reads a table with a row for each time step, and the Add of it.
#include <climits>
#include <numeric>
#include <utility>

#include "driver/onnx/import/attention_import.h"
#include "driver/onnx/import/position_import.h"

namespace singa {
namespace {

// Gives a value of these sizes, whose time steps have the first rows of a table.
void GivePositions(ImportedParam table, int64_t rows, const Sizes& dims, NodeImport* node) {
  const int64_t steps = node->state().steps;
  if (rows < steps || rows > INT_MAX)
    node->Refuse(StrCat("has a table of ", rows, " time steps for ", steps,
                        "; -shape gives a smaller number where it is free"));
  if (ProductOf(table.dims) < 1) node->Refuse("has a table of empty rows");
  table.dims = {rows, ProductOf(table.dims) / rows};
  ImportValue positions{.form = ValueForm::kPositions, .dims = dims};
  positions.weight = std::move(table);
  node->Give(std::move(positions));
}

// Returns the value as a kPositions, or nothing. A constant with a row for each step is one, too.
std::optional<ImportValue> PositionsIn(const NodeImport& node, size_t i) {
  ImportValue value = node.in(i);
  if (value.form == ValueForm::kPositions) return value;
  const int64_t steps = node.state().steps;
  if (!node.HasFloats(i) || steps == 1 || value.dims.size() < 2) return {};
  size_t ones = 0;
  while (ones < value.dims.size() && value.dims[ones] == 1) ++ones;
  if (ones == value.dims.size() || value.dims[ones] != steps) return {};
  value.weight = {.tensor = value.tensor, .dims = {steps, ProductOf(value.dims) / steps}};
  value.dims[ones] = kFreeSteps;
  return value;
}

// Returns whether each time step of a value of sizes `x` has a row of `positions`.
bool FitsPositions(const Sizes& x, const Sizes& positions, bool has_steps) {
  if (positions.size() > x.size()) return false;
  const size_t ahead = x.size() - positions.size();
  bool found = !has_steps;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t size = i < ahead ? 1 : positions[i - ahead];
    if (size == kFreeSteps && x[i] == kFreeSteps) {
      found = true;
      continue;
    }
    if (size != x[i] && !(size == 1 && x[i] == kFreeBatch)) return false;
  }
  return found;
}

bool AddPositions(NodeImport* node) {
  for (size_t i : {0, 1}) {
    if (node->inputs() != 2 || !node->Has(i) || !node->Has(1 - i) || node->IsConstant(1 - i))
      continue;
    const auto positions = PositionsIn(*node, i);
    if (!positions) continue;
    const Sizes dims = node->FeatureDims(1 - i);
    if (!FitsPositions(dims, positions->dims, node->state().steps > 1)) {
      if (positions->is_constant()) continue;
      node->Refuse(
          StrCat("adds positions of ", SizesText(positions->dims), " to ", SizesText(dims)));
    }
    const LayerOutput x = node->Feature(1 - i);
    ImportedLayer& layer = node->Add(kPositionEmbedding, {x}, Sizes(node->graph().ShapeOf(x)));
    layer.conf.mutable_position_embedding_conf()->set_max_steps(
        static_cast<int32_t>(positions->weight.dims[0]));
    layer.params = {positions->weight};
    node->Give(dims);
    return true;
  }
  return false;
}

bool ReadPartAdd(NodeImport* node) { return AddPositions(node) || ReadAttentionAdd(node); }

SINGA_REGISTER_ONNX_PART(Add, ReadPartAdd);

}  // namespace

void GivePositionsOf(const Sizes& rows, NodeImport* node) {
  const ImportedParam table = node->Weight(0);
  const int64_t steps = node->state().steps;
  Sizes wanted(steps), dims = node->in(1).dims;
  std::iota(wanted.begin(), wanted.end(), 0);
  if (rows != wanted || steps == 1 || table.dims.size() != 2 || dims.empty())
    node->Refuse("reads constant rows of a table; a layer reads one for each time step");
  dims.back() = kFreeSteps;
  dims.push_back(table.dims[1]);
  if (ProductOf({dims.begin(), dims.end() - 2}) != 1) node->Refuse("reads rows in several ways");
  GivePositions(table, table.dims[0], dims, node);
}

bool ReadPositionSlice(NodeImport* node) {
  if (!node->HasFloats(0)) return false;
  const ImportedParam table = node->Weight(0);
  const Sizes begin = node->Has(1) ? node->Integers(1) : node->Ints("starts"),
              end = node->Has(2) ? node->Integers(2) : node->Ints("ends");
  const Sizes axes = node->Has(3) ? node->Integers(3) : node->Ints("axes");
  const int64_t steps = node->state().steps;
  const bool one = begin == Sizes{0} && end.size() == 1 && axes.size() <= 1 &&
                   (!node->Has(4) || node->Integers(4) == Sizes{1});
  const int64_t axis = node->Axis(axes.empty() ? 0 : axes[0], table.dims);
  if (!one || !(end[0] == kFreeSteps || end[0] == steps))
    node->Refuse("cuts a table; a layer reads its first rows, one for each time step");
  if (ProductOf({table.dims.begin(), table.dims.begin() + axis}) != 1)
    node->Refuse("cuts a table that has no row for each time step");
  Sizes dims = table.dims;
  dims[axis] = steps > 1 ? kFreeSteps : 1;
  GivePositions(table, table.dims[axis], dims, node);
  return true;
}

}  // namespace singa
