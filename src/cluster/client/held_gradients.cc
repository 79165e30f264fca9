#include "cluster/client/held_gradients.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "math/finite.h"
#include "train/apply/clip_scale.h"

namespace singa {
namespace {

constexpr int64_t kBlock = 1024;  // elements that are added up over the nodes at a time
constexpr int64_t kLanes = 16;    // partial sums of squares; kBlock is a multiple

// Returns the sum of squares of the sum over `sums`, in an order that depends on n alone. The sum
// is in float64: finite floats may have a sum that no float32 holds, and scaling bounds it.
double SquaresOf(const Context& ctx, std::span<float* const> sums, int64_t n) {
  if (sums.size() == 1) return SumOfSquares(ctx, sums[0], n);
  std::array<double, kBlock> all;
  std::array<double, kLanes> lanes{};
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const int64_t size = std::min(kBlock, n - begin);
    all.fill(0);
    for (const float* sum : sums)
      for (int64_t i = 0; i < size; ++i) all[i] += sum[begin + i];
    for (int64_t i = 0; i < kBlock; i += kLanes)
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] += all[i + l] * all[i + l];
  }
  return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

}  // namespace

int ContributingProcesses(const Topology& topology, int group, const SliceTable& table) {
  const Range processes = topology.ProcessesOf(group);
  int count = 0;
  for (int process = processes.first; process < processes.last; ++process)
    count += std::ranges::any_of(table.slices(), [&](const Slice& slice) {
      return !topology.NodesOf(process, group, slice.by).empty();
    });
  return count;
}

HeldGradients::HeldGradients(const SliceTable& table, float clip_norm, int processes)
    : root_(std::sqrt(processes)),
      most_(static_cast<float>(clip_norm / root_)),
      slices_(table.size()) {
  for (int s = 0; s < table.size(); ++s) slices_[s].size = table[s].size;
}

void HeldGradients::Hold(const Context& ctx, int slice, int64_t step,
                         std::span<float* const> sums) {
  Held& held = slices_[slice];
  held.sums.assign(sums.begin(), sums.end());
  if (most_ > 0) held.squares = SquaresOf(ctx, sums, held.size);
  held.step = step;
}

double HeldGradients::Clip(int64_t step, int worker, int workers) {
  if (most_ <= 0) return 0;
  double squares = 0;
  for (const Held& held : slices_)
    if (held.step == step) squares += held.squares;
  const double norm = std::sqrt(squares);
  const float scale = ClipScale(most_, norm);
  for (int s = worker; s < std::ssize(slices_) && scale != 1; s += workers) {
    const Held& held = slices_[s];
    if (held.step != step) continue;
    for (float* const sum : held.sums)
      for (int64_t i = 0; i < held.size; ++i) sum[i] *= scale;
  }
  return root_ * norm;
}

}  // namespace singa
