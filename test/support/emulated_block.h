// HostBlock plays the threads of a CUDA block with threads of the host. Code for Block or Warp runs
// on it. Sums are added in the same order, so results equal a device's, except for the device's own
// exp, log and fused products.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace singa {

// HostBlockState is shared by the threads of one block.
struct HostBlockState {
  explicit HostBlockState(int n) : barrier(n), values(n), of_warps(n / 32) {}
  std::barrier<> barrier;
  std::vector<double> values;    // one a thread; holds any float
  std::vector<double> of_warps;  // the threads' values, joined warp by warp
};

// HostBlock has the interface of Block in tensor/kernel/block.cuh. With 32 threads it is also a
// Warp.
class HostBlock {
 public:
  HostBlock(HostBlockState* state, int thread) : state_(state), thread_(thread) {}

  int thread() const { return thread_; }
  int threads() const { return static_cast<int>(state_->values.size()); }
  void Sync() const { state_->barrier.arrive_and_wait(); }

  template <typename T>
  T& Shared() const {
    static T value;
    return value;
  }

  void AddTo(uint32_t* number, uint32_t n) const { std::atomic_ref(*number) += n; }

  float Sum(float value) const {
    return Reduce(value, [](float a, float b) { return a + b; });
  }
  double Sum(double value) const {
    return Reduce(value, [](double a, double b) { return a + b; });
  }
  float Max(float value) const {
    return Reduce(value, [](float a, float b) { return a != a || a > b ? a : b; });
  }

 private:
  static constexpr int kLanes = 32;

  template <typename T, typename Join>
  T Reduce(T value, const Join& join) const {
    state_->values[thread_] = value;
    Sync();
    if (thread_ % kLanes == 0) state_->of_warps[thread_ / kLanes] = OfWarp<T>(thread_, join);
    Sync();  // the next call writes them after its own first Sync
    T sum = static_cast<T>(state_->of_warps[0]);
    for (size_t warp = 1; warp < state_->of_warps.size(); ++warp)
      sum = join(sum, static_cast<T>(state_->of_warps[warp]));
    return sum;
  }

  // Returns the value of a warp's first lane after lanes have exchanged values over halved
  // distances.
  template <typename T, typename Join>
  T OfWarp(int first, const Join& join) const {
    T lane[kLanes], next[kLanes];
    for (int l = 0; l < kLanes; ++l) lane[l] = static_cast<T>(state_->values[first + l]);
    for (int distance = kLanes / 2; distance > 0; distance /= 2) {
      for (int l = 0; l < kLanes; ++l) next[l] = join(lane[l], lane[l ^ distance]);
      for (int l = 0; l < kLanes; ++l) lane[l] = next[l];
    }
    return lane[0];
  }

  HostBlockState* state_;
  int thread_;
};

// Calls f(block, i) for each i < n, as ForEachBlock and ForEachWarp do. `threads`: a multiple of
// 32.
inline void RunBlocks(int64_t n, int threads,
                      const std::function<void(const HostBlock&, int64_t)>& f) {
  HostBlockState state(threads);
  std::vector<std::jthread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&state, &f, n, t] {
      const HostBlock block(&state, t);
      for (int64_t i = 0; i < n; ++i) {
        f(block, i);
        block.Sync();
      }
    });
}

// Calls f(block) once.
inline void RunBlock(int threads, const std::function<void(const HostBlock&)>& f) {
  RunBlocks(1, threads, [&f](const HostBlock& block, int64_t) { f(block); });
}

}  // namespace singa
