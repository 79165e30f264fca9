// Reads Concat, Split and Slice. If they work on lists of sizes for a Reshape, they give constants.
#include <algorithm>
#include <cstdint>

#include "driver/onnx/import/node_import.h"
#include "driver/onnx/import/size_lists.h"

namespace singa {
namespace {

constexpr int64_t kMostPieces = 1000;

// Returns the dimension of the feature that `axis` of the value stands for. Refuses a value whose
// sizes differ from those of its feature, unless the node joins or cuts whole channels.
int ColumnOf(const NodeImport& node, int64_t axis, const Sizes& dims, const Sizes& row) {
  const bool same = SizesFrom(dims, 1) == row;
  if (axis < 1 || (!same && (axis != 1 || dims.size() != 2)))
    node.Refuse(StrCat("works on dimension ", axis, " of ", SizesText(dims), ", whose rows are ",
                       SizesText(row), ": no layer does so"));
  return static_cast<int>(axis);
}

void ReadConcat(NodeImport* node) {
  if (node->IsConstant(0)) return GiveJoinedLists(node);
  const Sizes first = node->FeatureDims(0);
  const int64_t axis = node->Axis(node->Int("axis", 1), first);
  std::vector<LayerOutput> sources;
  Sizes dims = first, row;
  int64_t size = 0;
  int column = 0;
  for (size_t i = 0; i < node->inputs(); ++i) {
    const Sizes own = node->FeatureDims(i);
    sources.push_back(node->Feature(i));
    const Sizes& shape = node->graph().ShapeOf(sources[i]);
    column = ColumnOf(*node, axis, own, shape);
    if (i == 0) row = shape;
    Sizes rest = own, rest_row = shape;
    bool fits = own.size() == first.size() && shape.size() == row.size();
    if (fits) {
      size += shape[column - 1];
      dims[axis] = i == 0 ? own[axis] : dims[axis] + own[axis];
      rest[axis] = first[axis];
      rest_row[column - 1] = row[column - 1];
      fits = rest == first && rest_row == row;
    }
    if (!fits)
      node->Refuse(
          StrCat("joins ", SizesText(first), " and ", SizesText(own), " along dimension ", axis));
  }
  row[column - 1] = size;
  node->Add(kConcate, sources, row).conf.mutable_concate_conf()->set_concate_dim(column);
  node->Give(dims);
}

// Returns the sizes of the pieces.
Sizes PiecesOf(const NodeImport& node, int64_t whole) {
  Sizes pieces = node.Has(1) ? node.Integers(1) : node.Ints("split");
  const auto count = static_cast<int64_t>(node.node().outputs.size());
  if (count < 1 || count > whole || count > kMostPieces)
    node.Refuse(StrCat("has ", count, " outputs; a layer of this size has up to ",
                       std::min(whole, kMostPieces)));
  if (!pieces.empty()) return pieces;
  const int64_t each = (whole + count - 1) / count;  // the last is smaller
  for (int64_t left = whole; left > 0; left -= each) pieces.push_back(std::min(each, left));
  return pieces;
}

void ReadSplit(NodeImport* node) {
  const Sizes dims = node->FeatureDims(0);
  const int64_t axis = node->Axis(node->Int("axis", 0), dims);
  const LayerOutput source = node->Feature(0);
  const Sizes row = node->graph().ShapeOf(source);
  if (axis < 1 || SizesFrom(dims, 1) != row)
    node->Refuse(StrCat("cuts dimension ", axis, " of ", SizesText(dims), ": no layer does so"));
  const Sizes pieces = PiecesOf(*node, dims[axis]);
  const auto count = static_cast<int64_t>(node->node().outputs.size());
  bool fits = std::ssize(pieces) == count;
  for (int64_t j = 0; fits && j < count; ++j)
    fits = pieces[j] == dims[axis] * (j + 1) / count - dims[axis] * j / count;
  if (!fits)
    node->Refuse(StrCat("cuts ", dims[axis], " into pieces of ", SizesText(pieces),
                        "; a layer's pieces differ by at most one"));
  ImportedLayer& layer = node->Add(kSlice, {source}, row);
  layer.conf.mutable_slice_conf()->set_slice_dim(static_cast<int>(axis));
  layer.conf.mutable_slice_conf()->set_num_slices(static_cast<int>(count));
  layer.shapes.assign(count, row);
  for (int64_t j = 0; j < count; ++j) {
    layer.shapes[j][axis - 1] = pieces[j];
    ImportValue value{.form = ValueForm::kFeature, .dims = dims};
    value.dims[axis] = pieces[j];
    value.source = {node->graph().last_layer(), static_cast<int>(j)};
    node->Give(std::move(value), j);
  }
}

// Returns input i, or `missing` for each of `count` dimensions.
Sizes SliceNumbers(const NodeImport& node, size_t i, size_t count, int64_t missing) {
  Sizes numbers = node.Has(i) ? node.Integers(i) : Sizes(count, missing);
  if (numbers.size() != count) node.Refuse("has lists of different lengths");
  return numbers;
}

// The centre of a picture of the input is a crop of kImagePreprocess.
void ReadSlice(NodeImport* node) {
  if (node->IsConstant(0)) return GivePartOfList(node);
  const ImportedImage image = node->Image(0);
  Sizes begin = node->Has(1) ? node->Integers(1) : node->Ints("starts"),
        end = node->Has(2) ? node->Integers(2) : node->Ints("ends");
  Sizes axes = node->Has(3) ? node->Integers(3) : node->Ints("axes");
  const Sizes steps = SliceNumbers(*node, 4, begin.size(), 1);
  for (int64_t& axis : axes) axis = node->Axis(axis, node->FeatureDims(0));
  const bool two =
      begin.size() == 2 && end.size() == 2 && axes == Sizes{2, 3} && steps == Sizes{1, 1};
  for (size_t i = 0; two && i < 2; ++i) {
    const int64_t size = i == 0 ? image.h : image.w;
    begin[i] = ClampedPlace(size, begin[i]);
    end[i] = ClampedPlace(size, end[i]);
  }
  const int64_t height = two ? end[0] - begin[0] : 0, width = two ? end[1] - begin[1] : 0;
  if (image.feature.layer != 0 || height < 1 || width < 1 || begin[0] != (image.h - height) / 2 ||
      begin[1] != (image.w - width) / 2)
    node->Refuse("cuts a part out; only the centre of the input's pictures has a layer");
  Sizes row = node->graph().ShapeOf(image.feature);
  row[row.size() - 2] = height;
  row[row.size() - 1] = width;
  RGBImageProto& conf =
      *node->Add(kImagePreprocess, {image.feature}, row).conf.mutable_rgbimage_conf();
  if (height == width) {
    conf.set_cropsize(static_cast<int32_t>(height));
  } else {
    conf.set_crop_height(static_cast<int32_t>(height));
    conf.set_crop_width(static_cast<int32_t>(width));
  }
  node->Give({kFreeBatch, image.c, height, width});
}

SINGA_REGISTER_ONNX_IMPORT(Concat, ReadConcat);
SINGA_REGISTER_ONNX_IMPORT(Split, ReadSplit);
SINGA_REGISTER_ONNX_IMPORT(Slice, ReadSlice);

}  // namespace
}  // namespace singa
