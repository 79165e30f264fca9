#include "train/device/coded_gradients.h"

#include <cstring>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"
#include "singa/tensor/memory.h"
#include "train/device/half_sums.h"
#include "train/device/largest_gradients.h"
#include "train/device/thin_gradients.h"
#include "train/device/value_means.h"

namespace singa {

CodedGradients::CodedGradients(const Setup& setup, int64_t state_floats) : setup_(setup) {
  try {
    state_ = Allocate(*setup_.ctx, {state_floats});
  } catch (const DeviceError& error) {
    throw DeviceError(StrCat("the state of the gradients' compression: ", error.what()));
  }
}

void CodedGradients::Bring() {
  if (state_.bytes() > 0)
    CopyFromHost(*setup_.ctx, setup_.sender.state->data(), state_.data(), state_.bytes());
}

void CodedGradients::Download() const {
  if (state_.bytes() == 0) return;
  const Tensor floats = OnHost(*setup_.ctx, state_);
  std::memcpy(setup_.sender.state->data(), floats.data(), floats.bytes());
}

std::unique_ptr<CodedGradients> MakeCodedGradients(const CodedGradients::Setup& setup) {
  switch (setup.job.cluster().all_reduce().compression()) {
    case AllReduceProto::kTopK:
    case AllReduceProto::kThreshold:
      return std::make_unique<LargestGradients>(setup);
    case AllReduceProto::kPowerSGD:
      return std::make_unique<ThinGradients>(setup);
    case AllReduceProto::kNone:
    case AllReduceProto::kFp16:
    case AllReduceProto::kPartial:
      return nullptr;
  }
  return nullptr;
}

int64_t CompressionState(const AllReduceProto& conf, const TrainedParams& trained, float momentum) {
  int64_t floats = 0;
  switch (conf.compression()) {
    case AllReduceProto::kTopK:
    case AllReduceProto::kThreshold:
      return LargestGradients::States(conf, momentum) * trained.table.elements();
    case AllReduceProto::kPowerSGD:
      for (const LowRankParam& param : ThinGradients::Params(conf, trained))
        floats += ThinGradients::StateOf(conf, param.shape);
      return floats;
    case AllReduceProto::kNone:
    case AllReduceProto::kFp16:
    case AllReduceProto::kPartial:
      return 0;
  }
  return 0;
}

int64_t CompressionBytes(const AllReduceProto& conf, const TrainedParams& trained, int64_t states,
                         int members) {
  switch (conf.compression()) {
    case AllReduceProto::kTopK:
    case AllReduceProto::kThreshold:
      return SparseSums::Bytes(conf, trained.table, members);
    case AllReduceProto::kPowerSGD:
      return ThinGradients::Bytes(conf, trained);
    case AllReduceProto::kFp16:
      return HalfSums::Bytes(trained.table.elements(), trained.table.size() + 1);
    case AllReduceProto::kPartial:
      return ValueMeans::Bytes(conf, trained.table, states);
    case AllReduceProto::kNone:
      return 0;
  }
  return 0;
}

}  // namespace singa
