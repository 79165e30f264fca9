#include "driver/plan/rank_forms.h"

#include <utility>

#include "comm/collective/low_rank_param.h"
#include "comm/collective/slice_buckets.h"
#include "driver/timing/measure_ms.h"
#include "driver/timing/median.h"
#include "singa/base/philox.h"

namespace singa {
namespace {

// The shares of all floats: what is sent, and what lies in matrices that have thin ones.
struct ThinShares {
  double sent = 1, matrices = 0;
};

ThinShares SharesOf(const TrainedShapes& shapes, int rank) {
  const SliceTable table(shapes.params);
  int64_t sent = 0, matrices = 0;
  for (int param = 0; param < table.params(); ++param) {
    const LowRankShape thin = LowRankOf(table, param, shapes.params[param], rank);
    sent += thin.rank > 0 ? thin.p_size() + thin.q_size() : table.size_of(param);
    matrices += thin.rank > 0 ? thin.size() : 0;
  }
  const auto all = static_cast<double>(table.elements());
  return {static_cast<double>(sent) / all, static_cast<double>(matrices) / all};
}

// Returns the milliseconds that kPowerSGD takes for 1 MB of a matrix: its products, and what it
// adds to the matrix before and leaves out of it afterwards.
double ProductMs(int rank) {
  constexpr int kRuns = 3;
  const LowRankShape shape{2048, 1024, rank};  // larger than most caches, as large layers are
  const Philox random{.seed = 0, .purpose = HashName("matrix"), .step = 0};
  std::vector<float> m(shape.size()), sum(shape.size()), p(shape.p_size()), q(shape.q_size());
  constexpr size_t kNoise = 4093;  // a prime: rows differ
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = i < kNoise ? random.Gaussian(static_cast<int64_t>(i)) : sum[i - kNoise];
  RenewColumns(shape, Philox{}, q);
  std::vector<double> times;
  times.reserve(kRuns);
  for (int run = 0; run < kRuns; ++run) {
    times.push_back(MeasureMs([&] {
      for (size_t i = 0; i < m.size(); ++i) m[i] += sum[i];
      TimesQ(shape, m, q, p);
      Orthonormalize(shape, p);
      TransposedTimesP(shape, m, p, q);
      Expand(shape, p, q, sum);
      for (size_t i = 0; i < m.size(); ++i) m[i] -= sum[i];
    }));
  }
  return Median(std::move(times)) * 1e6 /
         static_cast<double>(shape.size() * int64_t{sizeof(float)});
}

}  // namespace

int64_t CountBuckets(const AllReduceProto& conf, const TrainedShapes& shapes) {
  return std::ssize(GradientBuckets(SliceTable(shapes.params), conf));
}

int64_t CountPartialBuckets(const AllReduceProto& conf, const TrainedShapes& shapes) {
  return std::ssize(BucketsOf(SliceTable(shapes.params), conf.fusion_elements()));
}

double ThinShare(const AllReduceProto& conf, const TrainedShapes& shapes) {
  return SharesOf(shapes, conf.rank()).sent;
}

// In each step one bucket of the values and states goes over the link.
double PartialShare(const AllReduceProto& conf, const TrainedShapes& shapes) {
  return (1.0 + shapes.states) / static_cast<double>(CountPartialBuckets(conf, shapes));
}

ExchangeForm LowRankForm(const AllReduceProto& conf, const TrainedShapes& shapes) {
  const ThinShares thin = SharesOf(shapes, conf.rank());
  return {.gradient = thin.sent,
          .sum = thin.sent,
          .encode_ms = thin.matrices > 0 ? thin.matrices * ProductMs(conf.rank()) : 0,
          .updates_all = true};
}

ExchangeForm PartialForm(const AllReduceProto& conf, const TrainedShapes& shapes) {
  const double share = PartialShare(conf, shapes);
  return {.gradient = share, .sum = share, .updates_all = true};
}

}  // namespace singa
