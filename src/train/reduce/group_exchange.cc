#include "train/reduce/group_exchange.h"

#include <algorithm>
#include <utility>

#include "base/thread/activity_mark.h"

namespace singa {
namespace {

// RowPieces are the pieces of the gradient of one param, or of a worker's part of it. A piece is
// whole rows.
class RowPieces final : public PieceWork {
 public:
  RowPieces(GradientReduction* reduction, const MemoryCollective& collective,
            const GradientPieces& pieces, const Param& param, const GradientRows& rows)
      : reduction_(*reduction),
        collective_(collective),
        pieces_(pieces),
        begin_(param.begin()),
        row_(param.size() / param.shape()[0]),
        rows_(rows) {}

  int64_t floats(int64_t piece) const override { return RangeOf(piece).second; }
  void Produce(Context& ctx, int64_t piece, float* to) const override {
    const auto [begin, size] = RangeOf(piece);
    rows_(ctx, (begin - begin_) / row_, size / row_, to);
  }
  void Consume(Context& ctx, int64_t piece, std::span<float* const> sums) const override {
    const auto [first, last] = pieces_.SlicesOf(piece);
    reduction_.SubmitSlices(ctx, first, last, sums, {&collective_, piece});
  }

 private:
  // Returns where a piece begins in its param, and its floats.
  std::pair<int64_t, int64_t> RangeOf(int64_t piece) const {
    const SliceTable& table = reduction_.table();
    const auto [first, last] = pieces_.SlicesOf(piece);
    const int64_t begin = table[first].begin;
    return {begin, table[last - 1].begin + table[last - 1].size - begin};
  }

  GradientReduction& reduction_;
  const MemoryCollective& collective_;
  const GradientPieces pieces_;
  const int64_t begin_;  // of the part in the whole param
  const int64_t row_;    // floats
  const GradientRows& rows_;
};

}  // namespace

struct GroupExchange::Alone {
  explicit Alone(ActivityMark* mark) : group(MemoryGroup::Options()), collective(&group, 0, mark) {}
  MemoryGroup group;
  MemoryCollective collective;
};

GroupExchange::~GroupExchange() = default;

bool GroupExchange::Gradients::has_own_pieces() const {
  for (size_t i = 0; i < params.size(); ++i)
    if (in_pieces[i] && params[i]->is_part()) return true;
  return false;
}

GroupExchange::GroupExchange(GradientReduction* reduction, int worker, Context* ctx,
                             const Gradients& gradients)
    : reduction_(*reduction),
      ctx_(ctx),
      worker_(reduction->group().first() + worker),
      collective_(&reduction->group(), worker, ctx->mark) {
  if (gradients.has_own_pieces()) alone_ = std::make_unique<Alone>(ctx->mark);
  std::vector<BufferSums::Buffer> buffers;
  for (size_t i = 0; i < gradients.params.size(); ++i) {
    Param* const param = gradients.params[i];
    places_[param] = static_cast<int>(i);
    if (gradients.in_pieces[i]) {
      room_.resize(gradients.room_floats);
      param->sink = this;
    } else if (param->grad.empty()) {  // else the gradient lies in memory that processes share
      param->grad = Tensor::Allocate(param->shape());
    }
    buffers.push_back(gradients.in_pieces[i]
                          ? BufferSums::Buffer()
                          : BufferSums::Buffer{param->grad.data(), param->begin()});
  }
  if (!buffers.empty()) reduction_.Register(worker, std::move(buffers));
}

void GroupExchange::Await(Param* param, int64_t step) {
  const auto place = places_.find(param);
  const ActivityMark::Scope waits(ctx_->mark, Activity::kAwaitsServers);
  if (place != places_.end()) reduction_.updates().Await(place->second, step);
}

GradientPieces GroupExchange::PiecesOf(const Param& param) const {
  MemoryGroup& group = reduction_.group();
  const SliceTable& table = reduction_.table();
  const int place = places_.at(&param), threads = group.CutThreads(std::max(1, ctx_->threads));
  return param.is_part() ? PiecePlan::CutOwn(table, place, worker_, threads)
                         : PiecePlan::Cut(table, place, group.whole(), threads);
}

void GroupExchange::Consume(Param* param, const GradientRows& rows) {
  const GradientPieces pieces = PiecesOf(*param);
  MemoryCollective& sums = param->is_part() ? alone_->collective : collective_;
  const RowPieces work(&reduction_, sums, pieces, *param, rows);
  sums.ReduceScatter(*ctx_, pieces.count, work, room_);
  reduction_.updates().Check();
}

void GroupExchange::GradientReady(Param* param, int64_t) {
  if (param->sink) return;
  if (ctx_->mark) ctx_->mark->Set(Activity::kUpdating);
  reduction_.Offer(places_.at(param));
  reduction_.Reduce(*ctx_);
  reduction_.updates().Check();
}

void GroupExchange::LossNotFinite(const std::string& layer, int64_t step) {
  reduction_.updates().LossNotFinite(layer, step, worker_);
}

void GroupExchange::Finish(int64_t) {
  if (ctx_->mark) ctx_->mark->Set(Activity::kUpdating);
  reduction_.Finish(*ctx_, &collective_);
  reduction_.updates().Check();
}

}  // namespace singa
