// ThinGradients are the CodedGradients of kPowerSGD: gradients of large matrices are added up as
// products of two thin ones, with the numbers of LowRankSums (cluster/ranks), and all others as
// they are. The state of each matrix is what the last step left out, and then its basis.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "comm/codec/low_rank_matrices.h"
#include "comm/collective/low_rank_param.h"
#include "train/device/coded_gradients.h"
#include "train/device/group_findings.h"

namespace singa {

class ThinGradients final : public CodedGradients {
 public:
  explicit ThinGradients(const Setup& setup);

  static const GpuCompression kCompression;

  void Add(int slice, float* gradient, const UpdatePiece&, float*) override {
    slices_.emplace_back(slice, gradient);
  }
  void AddUp(const GroupMember& member, int64_t step, float* bad_losses) override;
  bool OwnIsBad(int64_t piece) const override { return findings_->OwnIsBad(piece); }
  void Drop() override { findings_.reset(); }

 private:
  struct Matrix {
    LowRankParam param;
    float *rest, *basis;              // rest: null: nothing is fed back
    const float* gradient = nullptr;  // null: a step makes none
  };
  static std::vector<StatePart> Parts(const CompressedParams& params);
  static int64_t MessageBytes(const CompressedParams& params, int members);
  void Allocate(const GroupMember& member);
  void MakePieces();
  void MakeThin();
  void Multiply(const Matrix& matrix, const LowRankMatrix& thin, bool transposed);

  Context ctx_;                                 // whose products are as exact as the host's
  std::vector<std::pair<int, float*>> slices_;  // of the gradients that a step makes
  std::vector<Matrix> matrices_;                // with a gradient, once all is allocated
  std::vector<LowRankPiece> pieces_;
  std::vector<LowRankMatrix> thin_;
  std::unique_ptr<GroupFindings> findings_;  // null: nothing is allocated
  // first_: what is sent as it is, then each P; second_: each Q; renewed_: of each Q.
  Tensor first_, second_, renewed_, overflows_, pieces_there_, thin_there_;
};

}  // namespace singa
