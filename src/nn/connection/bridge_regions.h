// BridgeRegions finds the regions of a feature that workers have in different layouts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "comm/exchange/region_exchange.h"
#include "nn/connection/bridge.h"
#include "nn/connection/row_pieces.h"
#include "nn/feature/piece.h"

namespace singa {

class BridgeRegions {
 public:
  BridgeRegions() = default;
  // The feature that worker `bridge.worker` has in the port, which is in the layout bridge.from.
  BridgeRegions(const Bridge& bridge, const Port& port)
      : BridgeRegions(bridge, port, port.data.shape()) {}
  // A tensor of this shape beside the feature, such as its labels.
  BridgeRegions(const Bridge& bridge, const Port& port, const Shape& shape)
      : bridge_(bridge), steps_(port.span.steps), pieces_(port.pieces) {
    const Blocks blocks(shape, shape.dims() > 1 ? 1 : 0);
    if (pieces_.empty()) pieces_ = EvenPieces(GroupRows(port.span).second, bridge.pieces);
    rows_ = std::reduce(pieces_.begin(), pieces_.end());
    if (shape.dims() > 1) {
      pixels_ = blocks.outer / shape[0];
      inner_ = blocks.inner;
      units_ = port.units.all > 0 ? port.units.all : blocks.size;
    }
  }

  const Bridge& bridge() const { return bridge_; }
  int64_t units() const { return units_; }
  // The group's rows of each piece.
  const std::vector<int64_t>& pieces() const { return pieces_; }
  int count() const { return static_cast<int>(pieces_.size()); }

  // The part [first, first + count) of rows, and of units, that a worker has in a layout.
  struct Box {
    std::pair<int64_t, int64_t> rows, units;
    int64_t before = 0;  // rows of the worker's tensor in front of these
    int64_t all = 0;     // rows of the worker's tensor
  };
  // Returns what the worker has of all pieces, or of one piece if the layout divides each.
  Box BoxOf(const Layout& layout, int worker, int piece = 0) const {
    Box box;
    box.units = PartOf(units_, layout.UnitPart(worker), layout.units);
    if (!layout.pieces) {
      box.rows = PartOf(rows_, layout.RowPart(worker, bridge_.workers), layout.rows);
      box.all = box.rows.second;
      return box;
    }
    for (int64_t k = 0, first = 0; k < count(); first += pieces_[k++]) {
      const auto [begin, rows] = PartOf(pieces_[k], worker, bridge_.workers);
      if (k == piece) box.before = box.all;
      if (k == piece) box.rows = {first + begin, rows};
      box.all += rows;
    }
    return box;
  }

  // Returns the floats of the whole feature.
  int64_t whole() const { return steps_ * rows_ * pixels_ * units_ * inner_; }
  // Returns the floats of the region of a piece that worker `from` has in the layout bridge.from
  // and worker `to` needs in bridge.to.
  int64_t Floats(int from, int to, int piece) const {
    const Box box = Common(BoxOf(bridge_.from, from, piece), BoxOf(bridge_.to, to, piece));
    return steps_ * box.rows.second * pixels_ * box.units.second * inner_;
  }

  // Return the region of a piece that worker `from` has in the layout bridge.from and worker `to`
  // needs in bridge.to: in the feature (or gradient) of the one, and in that of the other.
  Region InSource(float* data, int from, int to, int piece) const {
    const Box source = BoxOf(bridge_.from, from, piece);
    return RegionOf(data, source, Common(source, BoxOf(bridge_.to, to, piece)));
  }
  Region InEnd(float* data, int from, int to, int piece) const {
    const Box end = BoxOf(bridge_.to, to, piece);
    return RegionOf(data, end, Common(BoxOf(bridge_.from, from, piece), end));
  }

 private:
  static std::pair<int64_t, int64_t> Common(const std::pair<int64_t, int64_t>& a,
                                            const std::pair<int64_t, int64_t>& b) {
    const int64_t first = std::max(a.first, b.first);
    return {first, std::max<int64_t>(0, std::min(a.first + a.second, b.first + b.second) - first)};
  }
  static Box Common(const Box& a, const Box& b) {
    return {Common(a.rows, b.rows), Common(a.units, b.units)};
  }

  // Returns `region` of a tensor that holds `tensor`.
  Region RegionOf(float* data, const Box& tensor, const Box& region) const {
    const int64_t run = tensor.units.second * inner_, row = pixels_ * run;
    return {.data = data + (region.rows.first - tensor.rows.first + tensor.before) * row +
                    (region.units.first - tensor.units.first) * inner_,
            .steps = steps_,
            .step_stride = tensor.all * row,
            .count = region.rows.second * pixels_,
            .stride = run,
            .run = region.units.second * inner_};
  }

  Bridge bridge_;
  // The whole feature: [steps, rows, pixels, units, inner].
  int64_t steps_ = 1, rows_ = 0, pixels_ = 1, units_ = 1, inner_ = 1;
  std::vector<int64_t> pieces_;
};

}  // namespace singa
