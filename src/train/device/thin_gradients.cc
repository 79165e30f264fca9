#include "train/device/thin_gradients.h"

#include <algorithm>
#include <utility>

#include "comm/collective/slice_buckets.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/math/gemm.h"
#include "singa/tensor/memory.h"
#include "train/device/on_device.h"
#include "train/reduce/exchange_state.h"

namespace singa {
namespace {

Context Exact(Context ctx) {
  ctx.precision = Precision::kFloat32;
  return ctx;
}

std::vector<LowRankParam> Matrices(const AllReduceProto& conf, const TrainedParams& trained) {
  std::vector<Shape> shapes;
  shapes.reserve(trained.params.size());
  for (const Param* param : trained.params) shapes.push_back(param->shape());
  return LowRankParams(trained.table, shapes, conf);
}

}  // namespace

constinit const GpuCompression ThinGradients::kCompression = {
    .state_kind = kLowRankState,
    .parts = Parts,
    .make = [](const Setup& setup) -> std::unique_ptr<CompressedExchange> {
      return std::make_unique<ThinGradients>(setup);
    },
    .message_bytes = MessageBytes};

std::vector<StatePart> ThinGradients::Parts(const CompressedParams& params) {
  std::vector<StatePart> parts;
  for (const auto& [param, shape, bucket] : Matrices(params.conf, params.trained)) {
    const std::string name = StrCat("param", param);
    if (params.conf.error_feedback()) parts.push_back({name, {shape.rows, shape.cols}});
    parts.push_back({name, {shape.cols, shape.rank}, true});
  }
  return parts;
}

int64_t ThinGradients::MessageBytes(const CompressedParams& params, int) {
  int64_t floats = params.trained.table.elements();
  for (const auto& [param, shape, bucket] : Matrices(params.conf, params.trained))
    floats += shape.p_size() + 2 * shape.q_size() - shape.size();
  return floats * static_cast<int64_t>(sizeof(float));
}

ThinGradients::ThinGradients(const Setup& setup)
    : CodedGradients(setup, kCompression), ctx_(Exact(*setup.ctx)) {
  float* at = state_.data();
  for (const LowRankParam& param : Matrices(conf(), setup.trained)) {
    Matrix& matrix = matrices_.emplace_back(Matrix{param, nullptr, nullptr});
    if (conf().error_feedback()) matrix.rest = std::exchange(at, at + param.shape.size());
    matrix.basis = std::exchange(at, at + param.shape.q_size());
  }
}

void ThinGradients::MakePieces() {
  const SliceTable& table = setup_.trained.table;
  const auto matrix_of = [&](int slice) {
    return std::ranges::find(matrices_, table[slice].param,
                             [](const Matrix& matrix) { return matrix.param.param; });
  };
  for (const auto& [slice, gradient] : slices_)
    if (const auto found = matrix_of(slice); found != matrices_.end() && table[slice].begin == 0)
      found->gradient = gradient;
  std::erase_if(matrices_, [](const Matrix& matrix) { return !matrix.gradient; });
  for (const auto& [slice, gradient] : slices_) {
    LowRankPiece& piece = pieces_.emplace_back();
    piece.floats = gradient;
    piece.n = table[slice].size;
    piece.begin = table[slice].begin;
    const auto found = matrix_of(slice);
    piece.matrix = found == matrices_.end() ? -1 : found - matrices_.begin();
    if (piece.matrix >= 0 && found->rest) piece.rest = found->rest + piece.begin;
  }
}

// REQUIRES: the tensors are allocated.
void ThinGradients::MakeThin() {
  const std::vector<std::vector<int>> buckets = GradientBuckets(setup_.trained.table, conf());
  float *p = first_.data(), *q = second_.data(), *renewed = renewed_.data();
  for (LowRankPiece& piece : pieces_)
    if (piece.matrix < 0) piece.whole = std::exchange(p, p + piece.n);
  for (const Matrix& matrix : matrices_) {
    const LowRankShape& shape = matrix.param.shape;
    LowRankMatrix& thin = thin_.emplace_back();
    thin.shape = shape;
    thin.basis = matrix.basis;
    thin.p = std::exchange(p, p + shape.p_size());
    thin.q = std::exchange(q, q + shape.q_size());
    thin.renewed = std::exchange(renewed, renewed + shape.q_size());
    thin.random = RandomOfBasis(setup_.job.seed(), matrix.param.param);
    thin.number = static_cast<uint32_t>(matrix.param.bucket);
    thin.all = static_cast<uint32_t>(buckets.size());
  }
}

void ThinGradients::Allocate(const GroupMember& member) {
  const Context& ctx = *setup_.ctx;
  MakePieces();
  std::vector<UpdatePiece> inspected;
  int64_t first = 0, second = 0;
  for (const LowRankPiece& piece : pieces_) {
    UpdatePiece& one = inspected.emplace_back();
    one.g = piece.floats;
    one.n = piece.n;
    if (piece.matrix < 0) first += piece.n;
  }
  for (const Matrix& matrix : matrices_) {
    first += matrix.param.shape.p_size();
    second += matrix.param.shape.q_size();
  }
  try {
    first_ = singa::Allocate(ctx, {first});
    second_ = singa::Allocate(ctx, {second});
    renewed_ = singa::Allocate(ctx, {second});
    overflows_ = singa::Allocate(ctx, {std::ssize(matrices_)});
    MakeThin();
    pieces_there_ = OnDevice(ctx, pieces_);
    thin_there_ = OnDevice(ctx, thin_);
    findings_ = std::make_unique<GroupFindings>(member, inspected, setup_.losses);
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the thin matrices of gradients: ", error.what()));
  }
}

// Sets P = M Q, or Q = M^T P.
void ThinGradients::Multiply(const Matrix& matrix, const LowRankMatrix& thin, bool transposed) {
  const auto [rows, cols, rank] = thin.shape;
  if (transposed)
    Gemm(ctx_, cols, rank, rows, 1, Transposed(matrix.gradient, cols), {thin.p, rank}, 0, thin.q,
         rank);
  else
    Gemm(ctx_, rows, rank, cols, 1, {matrix.gradient, cols}, {thin.renewed, rank}, 0, thin.p, rank);
}

void ThinGradients::AddUp(const GroupMember& member, int64_t, float* bad_losses) {
  if (!findings_) Allocate(member);
  Context& ctx = *setup_.ctx;
  const auto* const pieces = pieces_there_.as<LowRankPiece>();
  const auto* const thin = thin_there_.as<LowRankMatrix>();
  const int64_t count = std::ssize(pieces_), matrices = std::ssize(thin_);
  findings_->AddUp(bad_losses, false);
  LoadLowRank(ctx, pieces, count, ctx.device_state);
  RenewBases(ctx, thin, matrices, ctx.device_state);
  for (int64_t m = 0; m < matrices; ++m) Multiply(matrices_[m], thin_[m], false);
  if (count > 0)
    member.Transfer([&] { member.group->Sum(first_.data(), first_.size(), *member.stream); });
  OrthonormalizeAll(ctx, thin, matrices);
  for (int64_t m = 0; m < matrices; ++m) Multiply(matrices_[m], thin_[m], true);
  if (matrices > 0)
    member.Transfer([&] { member.group->Sum(second_.data(), second_.size(), *member.stream); });
  const LowRankRule rule = {1 / static_cast<float>(member.number.members), findings_->all(),
                            findings_->of_pieces(), ctx.device_state};
  KeepBases(ctx, thin, matrices, rule, overflows_.data());
  ExpandLowRank(ctx, pieces, count, thin, rule, overflows_.data());
}

}  // namespace singa
