#include "driver/plan/gpu_forms.h"

#include "comm/codec/half_slices.h"
#include "comm/codec/sparse_slices.h"
#include "comm/collective/slice_table.h"
#include "driver/plan/rank_forms.h"
#include "train/device/sparse_sums.h"

namespace singa {
namespace {

// Bytes for each byte of the gradient: those that all members add up, those that each member sends
// to all others, and those of which it sends each other member its share, twice.
struct SentShares {
  double added = 0, gathered = 0, shared = 0;
};

SentShares SentBy(const AllReduceProto& conf, int members, const TrainedShapes& shapes) {
  const SliceTable table(shapes.params);
  const auto all = static_cast<double>(shapes.bytes());
  switch (conf.compression()) {
    case AllReduceProto::kNone:
      break;
    case AllReduceProto::kFp16: {
      int64_t halves = 0;
      for (const Slice& slice : table.slices()) halves += HalfSlice::Halves(slice.size);
      return {.shared = sizeof(uint16_t) * static_cast<double>(halves) / all};
    }
    case AllReduceProto::kTopK:
    case AllReduceProto::kThreshold: {
      const auto sizes = SparseSums::SizesOf(conf, conf.sparsity(), table, members);
      return {.added = sizeof(float) * static_cast<double>(sizes.floats) / all,
              .gathered = sizeof(SparsePair) * static_cast<double>(sizes.pairs) / all};
    }
    case AllReduceProto::kPowerSGD:
      return {.added = ThinShare(conf, shapes)};
    case AllReduceProto::kPartial:
      return {.added = PartialShare(conf, shapes)};
  }
  return {.added = 1};
}

}  // namespace

// JobCosts takes a host to send (hosts - 1) / hosts of gradient + sum. With N members, a ring sends
// (N - 1) / N of an all-reduce's bytes twice, and N - 1 members' bytes of an all-gather.
ExchangeForm GpuForm(const AllReduceProto& conf, const PlanCluster& cluster,
                     const TrainedShapes& shapes) {
  const double members = cluster.workers, here = cluster.here(), hosts = cluster.hosts;
  const SentShares sent = SentBy(conf, cluster.workers, shapes);
  const double ring = (members - 1) / members;
  const double twice = ring * sent.added + here * (members - here) / members * sent.shared;
  const double of_host = hosts / (hosts - 1);
  return {.gradient = of_host * (twice + ring * members * sent.gathered),
          .sum = of_host * twice,
          .updates_all = true};
}

// The members first tell each other what they have found, unless whole floats tell it.
int64_t CountGpuSums(const AllReduceProto& conf, const TrainedShapes& shapes) {
  switch (conf.compression()) {
    case AllReduceProto::kNone:
    case AllReduceProto::kFp16:
      return CountPartialBuckets(conf, shapes);
    case AllReduceProto::kTopK:
    case AllReduceProto::kThreshold:
    case AllReduceProto::kPartial:
      return 2;
    case AllReduceProto::kPowerSGD:
      return 3;
  }
  return 1;
}

bool SendsAfterBackward(AllReduceProto::Compression compression) {
  return compression != AllReduceProto::kNone && compression != AllReduceProto::kFp16;
}

}  // namespace singa
