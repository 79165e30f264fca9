// Reads operators that change the sizes of a value and not the order of its numbers. They vanish:
// each layer reads a feature in the sizes that it needs.
#include <algorithm>
#include <cstdint>

#include "driver/onnx/import/node_import.h"

namespace singa {
namespace {

void ReadSame(NodeImport* node) { node->GiveSame(Sizes(node->in(0).dims)); }

void ReadDropout(NodeImport* node) {
  if (node->node().outputs.size() > 1 && !node->node().outputs[1].empty())
    node->Refuse("gives its mask, which no layer does");
  ReadSame(node);
}

void ReadFlatten(NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  const int64_t axis = node->Int("axis", 1);
  if (axis != 1 && axis != 1 - static_cast<int64_t>(dims.size()))
    node->Refuse(StrCat("flattens at dimension ", axis, "; a layer's rows begin at 1"));
  node->GiveSame({kFreeBatch, node->RowSize(0)});
}

// Returns the sizes to which a feature is reshaped. The first is the batch: the free size, or the
// number of rows of the file.
Sizes ReshapedFeature(const NodeImport& node, const Sizes& wanted) {
  const int64_t first = wanted.empty() ? 0 : wanted[0];
  const bool batch = first == kFreeBatch || first == -1 || first == node.fixed_batch();
  auto sizes = SolvedSizes(SizesFrom(wanted, 1), node.RowSize(0));
  if (!batch || !sizes || std::count(wanted.begin(), wanted.end(), -1) > 1)
    node.Refuse(StrCat("reshapes ", SizesText(node.FeatureDims(0)), " to ", SizesText(wanted),
                       "; a layer keeps each row whole"));
  sizes->insert(sizes->begin(), kFreeBatch);
  return *sizes;
}

void ReadReshape(NodeImport* node) {
  const Sizes from = node->in(0).dims;
  Sizes wanted = node->Has(1) ? node->Integers(1) : node->Ints("shape");
  for (size_t i = 0; i < wanted.size() && i < from.size(); ++i)
    if (wanted[i] == 0 && node->Int("allowzero", 0) == 0) wanted[i] = from[i];
  if (!node->IsConstant(0)) return node->GiveSame(ReshapedFeature(*node, wanted));
  const auto sizes = SolvedSizes(wanted, ProductOf(from));
  if (!sizes) node->Refuse("reshapes a constant to another size");
  node->GiveSame(*sizes);
}

// Returns the axes of a Squeeze or Unsqueeze, for a value of `rank` dimensions, sorted.
Sizes AxesOf(const NodeImport& node, size_t rank) {
  Sizes axes = node.Has(1) ? node.Integers(1) : node.Ints("axes");
  for (int64_t& axis : axes) axis = node.Axis(axis, Sizes(rank, 1));
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    node.Refuse("names a dimension twice");
  return axes;
}

void RequireBatchFirst(const NodeImport& node, const Sizes& dims) {
  if (!node.IsConstant(0) && (dims.size() < 2 || dims[0] != kFreeBatch))
    node.Refuse("moves the batch, which is dimension 0 of a layer");
}

void ReadSqueeze(NodeImport* node) {
  const Sizes from = node->in(0).dims;
  Sizes axes = AxesOf(*node, from.size()), dims;
  if (axes.empty())
    for (size_t i = 0; i < from.size(); ++i)
      if (from[i] == 1) axes.push_back(static_cast<int64_t>(i));
  for (size_t i = 0; i < from.size(); ++i) {
    const bool out = std::binary_search(axes.begin(), axes.end(), static_cast<int64_t>(i));
    if (out && from[i] != 1)
      node->Refuse(StrCat("removes dimension ", i, " of ", SizesText(from), ", which is not 1"));
    if (!out) dims.push_back(from[i]);
  }
  RequireBatchFirst(*node, dims);
  node->GiveSame(dims);
}

void ReadUnsqueeze(NodeImport* node) {
  Sizes dims = node->in(0).dims;
  const size_t added = node->Has(1) ? node->Integers(1).size() : node->Ints("axes").size();
  if (dims.size() + added > 64) node->Refuse("adds too many dimensions");
  for (int64_t axis : AxesOf(*node, dims.size() + added)) dims.insert(dims.begin() + axis, 1);
  RequireBatchFirst(*node, dims);
  node->GiveSame(dims);
}

// A transpose vanishes if it moves only sizes of 1.
void ReadTranspose(NodeImport* node) {
  const Sizes from = node->FeatureDims(0), order = node->Ints("perm");
  Sizes sorted = order, dims, moved;
  std::sort(sorted.begin(), sorted.end());
  bool fits = order.size() == from.size();
  for (size_t i = 0; i < sorted.size(); ++i) fits = fits && sorted[i] == static_cast<int64_t>(i);
  if (!fits) node->Refuse(StrCat("perm ", SizesText(order), " does not fit ", SizesText(from)));
  for (int64_t dim : order) {
    dims.push_back(from[dim]);
    if (from[dim] != 1) moved.push_back(dim);
  }
  if (!std::is_sorted(moved.begin(), moved.end()))
    node->Refuse(StrCat("turns ", SizesText(from), " to ", SizesText(dims),
                        "; no layer changes the order of numbers"));
  RequireBatchFirst(*node, dims);
  node->GiveSame(dims);
}

SINGA_REGISTER_ONNX_IMPORT(Identity, ReadSame);
SINGA_REGISTER_ONNX_IMPORT(Dropout, ReadDropout);
SINGA_REGISTER_ONNX_IMPORT(Flatten, ReadFlatten);
SINGA_REGISTER_ONNX_IMPORT(Reshape, ReadReshape);
SINGA_REGISTER_ONNX_IMPORT(Squeeze, ReadSqueeze);
SINGA_REGISTER_ONNX_IMPORT(Unsqueeze, ReadUnsqueeze);
SINGA_REGISTER_ONNX_IMPORT(Transpose, ReadTranspose);

}  // namespace
}  // namespace singa
