// BridgeRegions finds the regions of a feature that workers have in different layouts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "comm/exchange/region_exchange.h"
#include "nn/connection/bridge.h"
#include "nn/connection/piece.h"

namespace singa {

class BridgeRegions {
 public:
  BridgeRegions() = default;
  // The feature that worker `bridge.worker` has in the port, which is in the layout bridge.from.
  BridgeRegions(const Bridge& bridge, const Port& port) : bridge_(bridge) {
    const Shape& shape = port.data.shape();
    const Blocks blocks(shape, shape.dims() > 1 ? 1 : 0);
    steps_ = port.span.steps;
    batch_ = port.span.batch;
    if (shape.dims() > 1) {
      pixels_ = blocks.outer / shape[0];
      inner_ = blocks.inner;
      units_ = port.units.all > 0 ? port.units.all : blocks.size;
    }
  }

  int64_t units() const { return units_; }

  // The part [first, first + count) of rows, and of units, that a worker has in a layout.
  struct Box {
    std::pair<int64_t, int64_t> rows, units;
  };
  Box BoxOf(Layout layout, int worker) const {
    const std::pair<int64_t, int64_t> all_rows{0, batch_}, all_units{0, units_};
    return {layout == Layout::kRows ? PartOf(batch_, worker, bridge_.workers) : all_rows,
            layout == Layout::kUnits ? PartOf(units_, worker, bridge_.workers) : all_units};
  }

  // Returns the floats of the whole feature.
  int64_t whole() const { return steps_ * batch_ * pixels_ * units_ * inner_; }
  // Returns the floats of the region that worker `from` has in the layout bridge.from and worker
  // `to` needs in bridge.to.
  int64_t Floats(int from, int to) const {
    const Box box = Common(BoxOf(bridge_.from, from), BoxOf(bridge_.to, to));
    return steps_ * box.rows.second * pixels_ * box.units.second * inner_;
  }

  // Return the region that worker `from` has in the layout bridge.from and worker `to` needs in
  // bridge.to: in the feature (or gradient) of the one, and in that of the other.
  Region InSource(float* data, int from, int to) const {
    const Box source = BoxOf(bridge_.from, from);
    return RegionOf(data, source, Common(source, BoxOf(bridge_.to, to)));
  }
  Region InEnd(float* data, int from, int to) const {
    const Box end = BoxOf(bridge_.to, to);
    return RegionOf(data, end, Common(BoxOf(bridge_.from, from), end));
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
    return {.data = data + (region.rows.first - tensor.rows.first) * row +
                    (region.units.first - tensor.units.first) * inner_,
            .steps = steps_,
            .step_stride = tensor.rows.second * row,
            .count = region.rows.second * pixels_,
            .stride = run,
            .run = region.units.second * inner_};
  }

  Bridge bridge_;
  // The whole feature: [steps, batch, pixels, units, inner].
  int64_t steps_ = 1, batch_ = 0, pixels_ = 1, units_ = 1, inner_ = 1;
};

}  // namespace singa
