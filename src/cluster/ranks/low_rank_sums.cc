#include "cluster/ranks/low_rank_sums.h"

#include <algorithm>

#include "base/thread/counted_time.h"
#include "comm/codec/low_rank_elements.h"
#include "comm/collective/link_tags.h"
#include "singa/base/str_cat.h"
#include "train/reduce/exchange_state.h"

namespace singa {
namespace {

// Returns the name of what all processes have alike of a param.
std::string BasisName(int param) { return StrCat(CommonPrefix(kLowRankState), "param", param); }

}  // namespace

LowRankSums::LowRankSums(const SliceTable& table, const std::vector<Shape>& shapes,
                         const Options& options, RankSums* dense, RankLink* link)
    : table_(table),
      options_(options),
      dense_(*dense),
      link_(link, kThinMatrixTags),
      collective_(&link_, LinkCollective::OneNodeEach(link->size())) {
  for (int param = 0; param < table.params(); ++param) {
    const LowRankShape thin = LowRankOf(table, param, shapes[param], options.rank);
    if (thin.rank == 0) continue;
    Matrix& matrix = matrices_[param];
    matrix = {param, thin, std::vector<float>(thin.q_size()), std::vector<float>(thin.size())};
    sum_.resize(std::max<size_t>(sum_.size(), thin.size()));
  }
}

// Adds this process's gradient to what it has left out before.
void LowRankSums::Load(Matrix* matrix, std::span<const EncodedFloats> own) const {
  if (!options_.corrects) std::ranges::fill(matrix->m, 0.f);
  const auto [first, last] = table_.OfParam(matrix->param);
  for (int s = first; s < last; ++s) {
    const int64_t n = table_[s].size;
    float* const to = matrix->m.data() + table_[s].begin;
    std::span<const float> sums = FloatsOf(own[s].bytes);  // of each node
    for (; !sums.empty(); sums = sums.subspan(n))
      for (int64_t i = 0; i < n; ++i) to[i] += sums[i];
  }
}

// Hands the sum over all processes on, and keeps what this process has left out of it. A product of
// finite gradients may overflow. The step is then left out, or the job ends; all ranks forget what
// led there, or each later step would overflow, too.
void LowRankSums::Hand(Matrix* matrix, std::span<const float> p, const RankSums::Take& take) {
  const std::span<float> sum = std::span(sum_).first(matrix->m.size());
  {
    const CountedTime counts(&worked_);
    Expand(matrix->shape, p, matrix->q, sum);
    const auto share = static_cast<float>(options_.share);
    for (size_t i = 0; options_.corrects && i < sum.size(); ++i) matrix->m[i] -= share * sum[i];
  }
  const auto [first, last] = table_.OfParam(matrix->param);
  for (int s = first; s < last; ++s)
    take(s, sum.subspan(table_[s].begin, static_cast<size_t>(table_[s].size)));
  const auto stays = [](std::span<const float> floats) {
    return std::ranges::all_of(floats, StaysFinite);
  };
  if (stays(p) && stays(matrix->q)) return;
  std::ranges::fill(matrix->m, 0.f);
  std::ranges::fill(matrix->q, 0.f);
}

// The rest is on its way while the thin matrices are.
void LowRankSums::AddUp(int64_t exchange, std::span<const int> slices,
                        std::span<const EncodedFloats> own, const RankSums::Take& take) {
  std::vector<Matrix*> matrices;
  std::vector<int> rest;
  for (const int s : slices) {
    const auto found = matrices_.find(table_[s].param);
    if (found == matrices_.end())
      rest.push_back(s);
    else if (s == table_.OfParam(table_[s].param).first)
      matrices.push_back(&found->second);
  }
  std::vector<float> ps, qs;
  for (Matrix* const one : matrices) {
    const CountedTime counts(&worked_);
    Load(one, own);
    RenewColumns(one->shape, RandomOfBasis(options_.seed, one->param, exchange), one->q);
    ps.resize(ps.size() + one->shape.p_size());
    TimesQ(one->shape, one->m, one->q, std::span(ps).last(one->shape.p_size()));
  }
  dense_.SendParts(exchange, rest, own);
  if (!matrices.empty()) collective_.AllReduce(ps);
  dense_.AddUpOwn(exchange, rest, own, take);
  std::span<float> p(ps);
  for (Matrix* const one : matrices) {
    const CountedTime counts(&worked_);
    Orthonormalize(one->shape, p.first(one->shape.p_size()));
    qs.resize(qs.size() + one->shape.q_size());
    TransposedTimesP(one->shape, one->m, p.first(one->shape.p_size()),
                     std::span(qs).last(one->shape.q_size()));
    p = p.subspan(one->shape.p_size());
  }
  if (!matrices.empty()) collective_.AllReduce(qs);
  dense_.TakeOthers(exchange, rest, take);
  p = ps;
  std::span<float> q(qs);
  for (Matrix* const one : matrices) {
    std::ranges::copy(q.first(one->shape.q_size()), one->q.begin());
    Hand(one, p.first(one->shape.p_size()), take);
    p = p.subspan(one->shape.p_size());
    q = q.subspan(one->shape.q_size());
  }
}

std::string LowRankSums::NameOf(const std::string& prefix, const Matrix& matrix) const {
  return StrCat(prefix, "param", matrix.param);
}

std::vector<StoredTensor> LowRankSums::State(const std::string& prefix) const {
  std::vector<StoredTensor> tensors;
  for (const auto& [param, one] : matrices_) {
    const LowRankShape& shape = one.shape;
    if (options_.corrects)
      tensors.push_back(Stored(NameOf(prefix, one), Shape({shape.rows, shape.cols}), one.m.data()));
    if (link_.rank() == 0)
      tensors.push_back(Stored(BasisName(param), Shape({shape.cols, shape.rank}), one.q.data()));
  }
  return tensors;
}

bool LowRankSums::HasState(const std::string& prefix, const std::string& name) {
  return name.starts_with(prefix) || name.starts_with(CommonPrefix(kLowRankState));
}

bool LowRankSums::Restore(const std::string& prefix,
                          const std::map<std::string, std::vector<float>>& state) {
  const auto restore = [&](const std::string& name, std::vector<float>* to) {
    const auto found = state.find(name);
    const bool fits = found != state.end() && found->second.size() == to->size();
    if (fits) *to = found->second;
    return fits;
  };
  bool all = true;
  for (auto& [param, one] : matrices_) {
    restore(BasisName(param), &one.q);
    if (options_.corrects) all = restore(NameOf(prefix, one), &one.m) && all;
  }
  const auto own = std::ranges::count_if(
      state, [&](const auto& tensor) { return tensor.first.starts_with(prefix); });
  return !options_.corrects || (all && own == std::ssize(matrices_));
}

}  // namespace singa
