#include <cmath>
#include <limits>

#include "base/text/element_path.h"
#include "driver/conf/check_values.h"
#include "driver/conf/message_walk.h"

namespace singa {
namespace {

using google::protobuf::FieldDescriptor;
namespace protobuf = google::protobuf;

struct Limits {
  const char* message;
  const char* field;
  const char* text;  // "must be ..."
  double low, high;
  bool low_open = false, high_open = false;

  bool Has(double value) const {
    return (low_open ? value > low : value >= low) && (high_open ? value < high : value <= high);
  }
};

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr Limits AtLeast0(const char* message, const char* field) {
  return {message, field, ">= 0", 0, kInf};
}
constexpr Limits AtLeast1(const char* message, const char* field) {
  return {message, field, ">= 1", 1, kInf};
}
constexpr Limits Above0(const char* message, const char* field) {
  return {message, field, "> 0", 0, kInf, true};
}
constexpr Limits Decay(const char* message, const char* field) {
  return {message, field, ">= 0 and < 1", 0, 1, false, true};
}

constexpr Limits kRanges[] = {
    AtLeast0("JobProto", "train_steps"),
    AtLeast0("JobProto", "train_epochs"),
    AtLeast0("JobProto", "warmup_steps"),
    AtLeast0("JobProto", "disp_freq"),
    AtLeast0("JobProto", "disp_after"),
    AtLeast0("JobProto", "gpu"),
    AtLeast1("JobProto", "accumulate_steps"),
    AtLeast0("JobProto", "test_freq"),
    AtLeast0("JobProto", "test_epochs"),
    AtLeast0("JobProto", "test_steps"),
    AtLeast0("JobProto", "test_after"),
    AtLeast0("JobProto", "validate_freq"),
    AtLeast0("JobProto", "validate_steps"),
    AtLeast0("JobProto", "validate_after"),
    AtLeast0("JobProto", "checkpoint_freq"),
    AtLeast0("JobProto", "checkpoint_after"),
    AtLeast0("JobProto", "checkpoint_keep"),
    AtLeast0("JobProto", "stop_patience"),
    AtLeast0("JobProto", "tensorboard_histogram_freq"),
    Decay("JobProto", "ema_decay"),
    {"JobProto", "num_openblas_threads", "from 1 to 1024", 1, 1024},
    AtLeast1("CDProto", "cd_k"),
    {"NetProto", "partition_dim", "0 (rows) or 1 (units)", 0, 1},
    {"NetProto", "unroll_len", "from 1 to 100000", 1, 100000},
    {"LayerProto", "unroll_len", "from 1 to 100000", 1, 100000},
    {"LayerProto", "loss_weight", "finite", -kInf, kInf, true, true},
    AtLeast0("ParamProto", "lr_scale"),
    AtLeast0("ParamProto", "wd_scale"),
    AtLeast0("ParamScaleProto", "lr_scale"),
    AtLeast0("ParamScaleProto", "wd_scale"),
    AtLeast0("ParamGenProto", "std"),
    Decay("UpdaterProto", "momentum"),
    AtLeast0("UpdaterProto", "weight_decay"),
    Above0("UpdaterProto", "delta"),
    AtLeast0("UpdaterProto", "clip_norm"),
    Decay("RMSPropProto", "rho"),
    Decay("AdaDeltaProto", "rho"),
    Decay("AdamProto", "beta1"),
    Decay("AdamProto", "beta2"),
    Decay("AdamMaxProto", "beta1"),
    Decay("AdamMaxProto", "beta2"),
    AtLeast0("FixedStepProto", "step"),
    AtLeast0("FixedStepProto", "step_lr"),
    AtLeast0("ConvolutionProto", "workspace_byte_limit"),
    Above0("StepProto", "gamma"),
    AtLeast1("StepProto", "change_freq"),
    AtLeast1("LinearProto", "change_freq"),
    AtLeast1("ExponentialProto", "change_freq"),
    AtLeast1("CosineProto", "change_freq"),
    AtLeast0("CosineProto", "final_lr"),
    AtLeast1("PolynomialProto", "change_freq"),
    Above0("PolynomialProto", "power"),
    AtLeast0("PolynomialProto", "final_lr"),
    Above0("InverseTProto", "final_lr"),
    AtLeast0("InverseProto", "gamma"),
    AtLeast1("ClusterProto", "nworker_groups"),
    AtLeast1("ClusterProto", "nserver_groups"),
    AtLeast1("ClusterProto", "nworkers_per_group"),
    AtLeast1("ClusterProto", "nservers_per_group"),
    AtLeast1("ClusterProto", "nworkers_per_procs"),
    AtLeast1("ClusterProto", "nservers_per_procs"),
    AtLeast1("ClusterProto", "sync_freq"),
    AtLeast1("ClusterProto", "poll_time"),
    Above0("ClusterProto", "link_gbit"),
    Above0("ClusterProto", "outer_lr"),
    Decay("ClusterProto", "outer_momentum"),
    AtLeast1("ClusterProto", "outer_fragments"),
    AtLeast0("ClusterProto", "outer_overlap"),
    Decay("ClusterProto", "outer_mixing"),
    {"AllReduceProto", "sparsity", "> 0 and <= 1", 0, 1, true},
    AtLeast0("AllReduceProto", "threshold"),
    AtLeast0("AllReduceProto", "clip"),
    AtLeast1("AllReduceProto", "fusion_elements"),
    AtLeast0("AllReduceProto", "warmup_steps"),
    AtLeast1("AllReduceProto", "rank"),
};

// Formats a number; whole numbers get all their digits.
std::string Shown(double value) {
  constexpr double kMost = 1e15;
  if (std::abs(value) < kMost && value == std::floor(value))
    return StrCat(static_cast<int64_t>(value));
  return StrCat(value);
}

void CheckRange(const protobuf::Message& message, const std::string& path, const Limits& range,
                ConfFindings* found) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(range.field);
  const auto* reflection = message.GetReflection();
  const int values = field->is_repeated() ? reflection->FieldSize(message, field)
                                          : reflection->HasField(message, field);
  for (int i = 0; i < values; ++i) {
    const double value = NumberIn(message, *field, i);
    if (range.Has(value)) continue;
    found->errors.push_back(ConfigError(ElementPath(JoinPath(path, range.field), i),
                                        StrCat("must be ", range.text, ", is ", Shown(value))));
    return;
  }
}

}  // namespace

void CheckRanges(const protobuf::Message& job, ConfFindings* found) {
  WalkMessages(job, "", [found](const protobuf::Message& message, const std::string& path) {
    for (const Limits& range : kRanges)
      if (message.GetDescriptor()->file()->package() == "singa" &&
          message.GetDescriptor()->name() == range.message)
        CheckRange(message, path, range, found);
  });
}

}  // namespace singa
