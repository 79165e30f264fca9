// LowRankSums adds the gradients of large matrices up as products of two thin ones (PowerSGD), and
// all others as RankSums does.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster/ranks/rank_sums.h"
#include "comm/codec/low_rank.h"
#include "comm/collective/link_collective.h"
#include "comm/collective/low_rank_param.h"
#include "comm/collective/offset_link.h"
#include "io/checkpoint/stored_tensor.h"

namespace singa {

class LowRankSums {
 public:
  struct Options {
    int rank = 1;          // most columns of the thin matrices
    double share = 1;      // of the group's workers that this process has
    bool corrects = true;  // what an approximation leaves out is added to the next gradient
    uint64_t seed = 0;     // the job's
  };
  // `shapes`: of the table's params. `dense` and `link` must outlive it.
  LowRankSums(const SliceTable& table, const std::vector<Shape>& shapes, const Options& options,
              RankSums* dense, RankLink* link);

  // Does what RankSums::AddUpOwn and TakeOthers do. own: sums as floats.
  void AddUp(int64_t exchange, std::span<const int> slices, std::span<const EncodedFloats> own,
             const RankSums::Take& take);
  // Returns the milliseconds that AddUp computed on matrices since the last call. Any thread may
  // call it.
  double TakeWorkMs() { return 1e-6 * static_cast<double>(worked_.exchange(0)); }

  // Returns the state for a checkpoint, in place: what was left out here, under names that begin
  // with `prefix`, and, at rank 0, what all processes have alike.
  std::vector<StoredTensor> State(const std::string& prefix) const;
  static bool HasState(const std::string& prefix, const std::string& name);
  // Takes tensors of State. Returns false if those of what was left out here are not the ones that
  // it has. A basis may be missing, or have another number of columns; it then begins anew.
  bool Restore(const std::string& prefix, const std::map<std::string, std::vector<float>>& state);

 private:
  struct Matrix {
    int param = 0;
    LowRankShape shape;
    std::vector<float> q;  // of the last step
    // Between exchanges, if the sums are corrected: what the last step left out.
    std::vector<float> m;
  };

  void Load(Matrix* matrix, std::span<const EncodedFloats> own) const;
  void Hand(Matrix* matrix, std::span<const float> p, const RankSums::Take& take);
  std::string NameOf(const std::string& prefix, const Matrix& matrix) const;

  const SliceTable& table_;
  const Options options_;
  RankSums& dense_;
  OffsetLink link_;
  LinkCollective collective_;
  std::map<int, Matrix> matrices_;  // by param
  std::vector<float> sum_;          // of the largest matrix
  std::atomic<int64_t> worked_{0};  // nanoseconds
};

}  // namespace singa
