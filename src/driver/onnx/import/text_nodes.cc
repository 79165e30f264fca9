// Reads nodes on indices: a Gather from a table, OneHot, and the Less and Where that map padding,
// -1, to an index whose row is zeros.
#include <algorithm>
#include <climits>
#include <utility>

#include "driver/onnx/import/position_import.h"
#include "driver/onnx/import/text_import.h"

namespace singa {
namespace {

// Adds a layer that turns indices into rows, and gives them.
ImportedLayer& AddRowsOfIndices(LayerType type, int64_t vocabulary, int64_t units,
                                NodeImport* node) {
  const ImportValue& indices = node->in(type == kOneHot ? 0 : 1);
  Sizes dims = indices.dims;
  dims.push_back(units);
  ImportedLayer& layer = node->Add(type, {indices.source}, {units});
  node->Give(dims);
  node->state().vocabulary = std::max(node->state().vocabulary, vocabulary);
  return layer;
}

// A last row of zeros is taken as that of padding. The layer has no row for padding.
void AddEmbedding(NodeImport* node) {
  const ImportedParam table = node->Weight(0);
  if (table.dims.size() != 2 || table.dims[0] < 1 || table.dims[1] < 1 || table.dims[0] > INT_MAX ||
      table.dims[1] > INT_MAX)
    node->Refuse(StrCat("reads rows of a table of ", SizesText(table.dims)));
  const std::vector<float> numbers = node->Floats(0);
  const int64_t units = table.dims[1];
  const bool padding = table.dims[0] > 1 && std::all_of(numbers.end() - units, numbers.end(),
                                                        [](float number) { return number == 0; });
  const int64_t rows = table.dims[0] - (padding ? 1 : 0);
  const ImportValue& indices = node->in(1);
  if (indices.integers && (!padding || (*indices.integers)[0] != rows))
    node->Refuse("gives padding a row that is not the last, of zeros");
  ImportedLayer& layer = AddRowsOfIndices(kEmbedding, rows, units, node);
  layer.conf.mutable_embedding_conf()->set_vocab_size(static_cast<int32_t>(rows));
  layer.conf.mutable_embedding_conf()->set_feature_dim(static_cast<int32_t>(units));
  layer.params = {{.tensor = table.tensor, .dims = {rows, units}}};
}

// Returns the two values of a OneHot.
std::vector<float> OffAndOn(const NodeImport& node) {
  if (node.HasFloats(2)) return node.Floats(2);
  const Sizes integers = node.Integers(2);
  return {integers.begin(), integers.end()};
}

void ReadOneHot(NodeImport* node) {
  const ImportValue& indices = node->in(0);
  if (indices.form != ValueForm::kIndices) node->Refuse("reads other than indices");
  const Sizes size = node->Integers(1);
  const auto rank = static_cast<int64_t>(indices.dims.size());
  const int64_t axis = node->Int("axis", -1);
  if (size.size() != 1 || size[0] < 1 || size[0] > INT_MAX || (axis != -1 && axis != rank) ||
      OffAndOn(*node) != std::vector<float>{0, 1})
    node->Refuse("must give rows of zeros with a 1");
  if (indices.integers && (*indices.integers)[0] < size[0])
    node->Refuse("gives padding the row of a character");
  AddRowsOfIndices(kOneHot, size[0], size[0], node)
      .conf.mutable_onehot_conf()
      ->set_vocab_size(static_cast<int32_t>(size[0]));
}

bool ReadPaddingTest(NodeImport* node) {
  if (!node->Has(0) || node->in(0).form != ValueForm::kIndices) return false;
  if (!node->IsConstant(1) || node->Integers(1) != Sizes{0}) return false;
  ImportValue padding = node->in(0);
  padding.form = ValueForm::kPadding;
  node->Give(std::move(padding));
  return true;
}

// Reads the choice of another index for padding.
bool ReadPaddingIndex(NodeImport* node) {
  if (node->inputs() != 3 || node->in(0).form != ValueForm::kPadding) return false;
  ImportValue indices = node->in(2);
  if (indices.form != ValueForm::kIndices || indices.source != node->in(0).source ||
      !node->IsConstant(1) || node->Integers(1).size() != 1)
    node->Refuse("chooses between indices in an unknown way");
  indices.integers = node->Integers(1);
  node->Give(std::move(indices));
  return true;
}

SINGA_REGISTER_ONNX_IMPORT(OneHot, ReadOneHot);
SINGA_REGISTER_ONNX_PART(Less, ReadPaddingTest);
SINGA_REGISTER_ONNX_PART(Where, ReadPaddingIndex);

}  // namespace

void ReadTableRows(NodeImport* node) {
  if (node->Int("axis", 0) != 0) node->Refuse("reads other than rows of a table");
  if (node->IsConstant(1)) return GivePositionsOf(node->Integers(1), node);
  if (node->in(1).form != ValueForm::kIndices)
    node->Refuse("reads rows of a table for other than indices");
  AddEmbedding(node);
}

}  // namespace singa
