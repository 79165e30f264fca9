#include "driver/plan/rank_modes.h"

#include <algorithm>
#include <chrono>

#include "base/text/counted.h"
#include "cluster/ranks/bucket_exchange.h"
#include "cluster/ranks/low_rank_sums.h"
#include "singa/base/philox.h"
#include "singa/base/str_cat.h"
#include "train/trainer/trainer.h"

namespace singa {
namespace {

// The shares of all floats: what is sent, and what lies in matrices that have thin ones.
struct ThinShares {
  double sent = 1, matrices = 0;
};

ThinShares SharesOf(const SliceTable& table, const std::vector<Shape>& shapes, int rank) {
  int64_t sent = 0, matrices = 0;
  for (int param = 0; param < table.params(); ++param) {
    const LowRankShape thin = LowRankOf(table, param, shapes[param], rank);
    sent += thin.rank > 0 ? thin.p_size() + thin.q_size() : table.size_of(param);
    matrices += thin.rank > 0 ? thin.size() : 0;
  }
  const auto all = static_cast<double>(table.elements());
  return {static_cast<double>(sent) / all, static_cast<double>(matrices) / all};
}

// Returns the milliseconds that kPowerSGD's products take for 1 MB of a matrix.
double ProductMs(int rank) {
  const LowRankShape shape{512, 512, rank};
  const Philox random{.seed = 0, .purpose = HashName("matrix"), .step = 0};
  std::vector<float> m(shape.size()), p(shape.p_size()), q(shape.q_size());
  for (size_t i = 0; i < m.size(); ++i) m[i] = random.Gaussian(i);
  RenewColumns(shape, Philox{}, q);
  const auto start = std::chrono::steady_clock::now();
  TimesQ(shape, m, q, p);
  Orthonormalize(shape, p);
  TransposedTimesP(shape, m, p, q);
  Expand(shape, p, q, m);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count() * 1e6 / static_cast<double>(shape.size() * int64_t{sizeof(float)});
}

}  // namespace

TrainedShapes TrainedShapesOf(const JobProto& job) {
  JobProto alone = job;
  alone.clear_cluster();
  alone.clear_gpu();
  Trainer trainer(alone, 1);
  TrainedShapes shapes;
  for (const Param* param : trainer.model().trained().params)
    shapes.params.push_back(param->shape());
  shapes.states = static_cast<int>(trainer.replica().state_count());
  return shapes;
}

std::vector<CodecRates> RankModes(const AllReduceProto& conf, const TrainedShapes& shapes) {
  const SliceTable table(shapes.params);
  if (table.elements() == 0) return {};
  const ThinShares thin = SharesOf(table, shapes.params, conf.rank());
  const auto buckets = std::ssize(BucketsOf(table, conf.fusion_elements()));
  const double partial = (1.0 + shapes.states) / static_cast<double>(buckets);
  return {{.name = StrCat("kPowerSGD, rank ", conf.rank()),
           .gradient = thin.sent,
           .sum = thin.sent,
           .encode_ms = thin.matrices * ProductMs(conf.rank())},
          {.name = "kPartial, " + Counted(buckets, "bucket"), .gradient = partial, .sum = partial}};
}

}  // namespace singa
