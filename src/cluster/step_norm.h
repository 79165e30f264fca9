// StepNorm: the norm of a worker group's mean gradient, whose slices lie on several servers: each
// server tells the others the squares of its own, and all add them up in the order of the slices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace singa {

class StepNorm {
 public:
  // `slices`: how many each server of the group has.
  explicit StepNorm(std::vector<int> slices) : slices_(std::move(slices)), of_(slices_.size()) {}

  int slices(int server) const { return slices_[server]; }
  // False: refused, as not those that come next.
  bool Add(int server, int64_t step, std::vector<double> squares) {
    Squares& of = of_[server];
    if (static_cast<int>(squares.size()) != slices_[server] || step <= of.step || !of.sum.empty())
      return false;
    of = {step, std::move(squares)};
    return true;
  }
  // Over all slices in order, once every server's squares of `step` are there; forgets them. NaN
  // where a slice's are: its gradient is not finite.
  std::optional<double> Take(int64_t step) {
    double sum = 0;
    for (size_t s = 0; s < of_.size(); ++s) {
      if (slices_[s] > 0 && (of_[s].sum.empty() || of_[s].step != step)) return std::nullopt;
      for (const double squares : of_[s].sum) sum += squares;
    }
    for (Squares& of : of_) of.sum.clear();
    return sum;
  }
  // The first server whose squares of `step` are missing; -1: none.
  int Missing(int64_t step) const {
    for (size_t s = 0; s < of_.size(); ++s)
      if (slices_[s] > 0 && (of_[s].sum.empty() || of_[s].step != step)) return static_cast<int>(s);
    return -1;
  }

 private:
  struct Squares {
    int64_t step = -1;
    std::vector<double> sum;
  };
  std::vector<int> slices_;
  std::vector<Squares> of_;
};

}  // namespace singa
