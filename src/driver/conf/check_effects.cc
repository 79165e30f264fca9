// Warnings about settings that the rest of the conf makes idle.
#include <algorithm>

#include "driver/conf/check_values.h"
#include "driver/conf/message_walk.h"
#include "driver/conf/old_types.h"
#include "nn/output/writes_file.h"

namespace singa {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr const char* kOld = "has no effect; kept for old files";
constexpr const char* kCpu = "this build has no CUDA kernels: the job runs on the CPU";
constexpr const char* kSystem = "is set by the system; a value here has no effect";
constexpr const char* kAlone = "has no effect while the job runs as one worker";

// A field whose value, where it is not the default, changes nothing.
struct Idle {
  const char* message;
  const char* field;
  const char* text;
};
constexpr Idle kIdle[] = {
    {"JobProto", "gpu", kCpu},
    {"JobProto", "warmup_steps", kOld},
    {"JobProto", "reset_param_version", kOld},
    {"JobProto", "resume", kSystem},
    {"JobProto", "step", kSystem},
    {"JobProto", "id", kSystem},
    {"NetProto", "layer_group", kOld},
    {"NetProto", "partition", kAlone},
    {"NetProto", "partition_dim", kAlone},
    {"ClusterProto", "start_port", kOld},
    {"ClusterProto", "nservers_per_group", kAlone},
    {"ClusterProto", "nworkers_per_procs", kAlone},
    {"ClusterProto", "nservers_per_procs", kAlone},
    {"ClusterProto", "server_worker_separate", kAlone},
    {"ClusterProto", "sync_freq", kAlone},
    {"ClusterProto", "share_memory", kAlone},
    {"ClusterProto", "poll_time", kAlone},
    {"SingaProto", "zookeeper_host", kOld},
    {"StoreProto", "prefetching", "has no effect: records are always read ahead"},
    {"ConvolutionProto", "workspace_byte_limit", "has no effect on a CPU"},
    {"LayerProto", "unroll_index", kSystem},
    {"LayerProto", "partition_id", kSystem},
    {"LayerProto", "num_partitions", kSystem},
    {"ParamProto", "id", kSystem},
    {"ParamProto", "owner", kSystem},
    {"ParamProto", "partition_dim", kSystem},
    {"ParamProto", "shape", kSystem},
    {"MnistProto", "kernel", kOld},
    {"MnistProto", "sigma", kOld},
    {"MnistProto", "alpha", kOld},
    {"MnistProto", "beta", kOld},
    {"MnistProto", "gamma", kOld},
    {"MnistProto", "resize", kOld},
    {"MnistProto", "elastic_freq", kOld},
};

// A field that only some values of the enum field `by` read.
struct ForTypes {
  const char* message;
  const char* by;
  const char* field;
  const char* types;
};
constexpr ForTypes kForTypes[] = {
    {"AlgProto", "alg", "cd_conf", "kCD"},
    {"UpdaterProto", "type", "momentum", "kSGD kNesterov"},
    {"UpdaterProto", "type", "delta", "kAdaGrad kRMSProp kAdaDelta kAdam kAdamMax"},
    {"UpdaterProto", "type", "rmsprop_conf", "kRMSProp"},
    {"UpdaterProto", "type", "adadelta_conf", "kAdaDelta"},
    {"UpdaterProto", "type", "adam_conf", "kAdam"},
    {"UpdaterProto", "type", "adammax_conf", "kAdamMax"},
    {"LRGenProto", "type", "base_lr", "kFixed kInverseT kInverse kExponential kLinear kStep"},
    {"LRGenProto", "type", "fixedstep_conf", "kFixedStep"},
    {"LRGenProto", "type", "step_conf", "kStep"},
    {"LRGenProto", "type", "linear_conf", "kLinear"},
    {"LRGenProto", "type", "exponential_conf", "kExponential"},
    {"LRGenProto", "type", "inverse_conf", "kInverse"},
    {"LRGenProto", "type", "inverset_conf", "kInverseT"},
    {"ParamGenProto", "type", "mean", "kGaussian kGaussianSqrtFanIn"},
    {"ParamGenProto", "type", "std", "kGaussian kGaussianSqrtFanIn"},
    {"ParamGenProto", "type", "low", "kUniform kUniformSqrtFanIn kUniformSqrtFanInOut"},
    {"ParamGenProto", "type", "high", "kUniform kUniformSqrtFanIn kUniformSqrtFanInOut"},
    {"AllReduceProto", "compression", "sparsity", "kTopK"},
    {"AllReduceProto", "compression", "threshold", "kThreshold"},
    {"AllReduceProto", "compression", "clip", "kFp16"},
    {"AllReduceProto", "compression", "error_feedback", "kTopK kThreshold"},
    {"LayerProto", "type", "store_conf", "kRecordInput kCSVInput kRecordOutput kCSVOutput"},
    {"LayerProto", "type", "lmdbdata_conf", "kLMDBData"},
    {"LayerProto", "type", "mnist_conf", "kMnist"},
    {"LayerProto", "type", "rgbimage_conf", "kImagePreprocess kRGBImage"},
    {"LayerProto", "type", "sharddata_conf", "kShardData"},
    {"LayerProto", "type", "char_rnn_conf", "kCharRNN kCharRNNOutput"},
    {"LayerProto", "type", "onehot_conf", "kOneHot"},
    {"LayerProto", "type", "activation_conf", "kActivation kCudnnActivation"},
    {"LayerProto", "type", "convolution_conf", "kConvolution kCConvolution kCudnnConv"},
    {"LayerProto", "type", "dropout_conf", "kDropout"},
    {"LayerProto", "type", "dummy_conf", "kDummy"},
    {"LayerProto", "type", "innerproduct_conf", "kInnerProduct"},
    {"LayerProto", "type", "lrn_conf", "kLRN kCudnnLRN"},
    {"LayerProto", "type", "pooling_conf", "kPooling kCPooling kCudnnPool"},
    {"LayerProto", "type", "rbm_conf", "kRBMHid kRBMVis"},
    {"LayerProto", "type", "relu_conf", "kReLU"},
    {"LayerProto", "type", "softmax_conf", "kSoftmax kCudnnSoftmax"},
    {"LayerProto", "type", "gru_conf", "kGRU"},
    {"LayerProto", "type", "lstm_conf", "kLSTM"},
    {"LayerProto", "type", "rnn_conf", "kRNN"},
    {"LayerProto", "type", "embedding_conf", "kEmbedding"},
    {"LayerProto", "type", "bm_conf", "kBM kCudnnBM"},
    {"LayerProto", "type", "softmaxloss_conf", "kSoftmaxLoss kCudnnSoftmaxLoss"},
    {"LayerProto", "type", "argsort_conf", "kArgSort kAccuracy"},
    {"LayerProto", "type", "sample_conf", "kSample"},
    {"LayerProto", "type", "concate_conf", "kConcate"},
    {"LayerProto", "type", "slice_conf", "kSlice"},
    {"LayerProto", "type", "split_conf", "kSplit"},
    {"LayerProto", "type", "rnn_dummy_conf", "kRNNDummy"},
};

// A field that another, where that is set too, takes the place of.
struct Overruled {
  const char* message;
  const char* field;
  const char* winner;
};
constexpr Overruled kOverruled[] = {
    {"AlgProto", "alg", "user_alg"},
    {"UpdaterProto", "type", "user_type"},
    {"LRGenProto", "type", "user_type"},
    {"LayerProto", "type", "user_type"},
    {"ParamProto", "type", "user_type"},
    {"ParamGenProto", "type", "user_type"},
    {"ParamProto", "init", "share_from"},
    {"ParamProto", "lr_scale", "share_from"},
    {"ParamProto", "wd_scale", "share_from"},
    {"StoreProto", "mean_value", "mean_file"},
    {"StoreProto", "std_value", "std_file"},
    {"ConvolutionProto", "kernel_x", "kernel"},
    {"ConvolutionProto", "kernel_y", "kernel"},
    {"ConvolutionProto", "pad_x", "pad"},
    {"ConvolutionProto", "pad_y", "pad"},
    {"ConvolutionProto", "stride_x", "stride"},
    {"ConvolutionProto", "stride_y", "stride"},
    {"PoolingProto", "kernel_x", "kernel"},
    {"PoolingProto", "kernel_y", "kernel"},
    {"PoolingProto", "pad_x", "pad"},
    {"PoolingProto", "pad_y", "pad"},
    {"PoolingProto", "stride_x", "stride"},
    {"PoolingProto", "stride_y", "stride"},
};

// A number that means something only where another one is not 0.
struct Without {
  const char* message;
  const char* field;
  const char* other;
  const char* or_other;
};
constexpr Without kWithout[] = {
    {"JobProto", "debug", "disp_freq", nullptr},
    {"JobProto", "disp_after", "disp_freq", nullptr},
    {"JobProto", "test_after", "test_freq", "test_epochs"},
    {"JobProto", "validate_after", "validate_freq", nullptr},
    {"JobProto", "validate_steps", "validate_freq", nullptr},
    {"JobProto", "checkpoint_after", "checkpoint_freq", nullptr},
};

// One message, seen through names of fields.
class Effects {
 public:
  Effects(const Message& message, const std::string& path, ConfigErrors* warnings)
      : message_(message), type_(*message.GetDescriptor()), path_(path), warnings_(warnings) {}

  void Check() {
    for (const Idle& row : kIdle)
      if (Is(row.message) && Has(row.field) && !IsDefault(row.field)) Warn(row.field, row.text);
    for (const ForTypes& row : kForTypes)
      if (Is(row.message) && Has(row.field)) CheckTypes(row);
    for (const Overruled& row : kOverruled)
      if (Is(row.message) && Has(row.field) && Has(row.winner) && !IsUserType(row.field))
        Warn(row.field, StrCat("has no effect: ", row.winner, " is set, and wins"));
    for (const Without& row : kWithout)
      if (Is(row.message) && Number(row.field) != 0 && Number(row.other) == 0 &&
          (!row.or_other || Number(row.or_other) == 0))
        Warn(row.field, StrCat("has no effect without ", row.other));
    if (Is("LayerProto")) CheckLayer(static_cast<const LayerProto&>(message_));
    if (Is("StoreProto")) CheckStore(static_cast<const StoreProto&>(message_));
  }

 private:
  bool Is(const char* message) const {
    return type_.name() == message && type_.file()->package() == "singa";
  }
  const FieldDescriptor& Field(const char* name) const { return *type_.FindFieldByName(name); }
  bool Has(const char* name) const {
    const FieldDescriptor& field = Field(name);
    const auto* reflection = message_.GetReflection();
    return field.is_repeated() ? reflection->FieldSize(message_, &field) > 0
                               : reflection->HasField(message_, &field);
  }
  bool IsDefault(const char* name) const {
    const FieldDescriptor& field = Field(name);
    if (field.is_repeated() || field.message_type() ||
        field.cpp_type() == FieldDescriptor::CPPTYPE_STRING)
      return false;
    const Message& unset = *message_.GetReflection()->GetMessageFactory()->GetPrototype(&type_);
    return Number(name) == NumberIn(unset, field, 0);
  }
  double Number(const char* name) const { return NumberIn(message_, Field(name), 0); }
  std::string EnumName(const char* name) const {
    return message_.GetReflection()->GetEnum(message_, &Field(name))->name();
  }
  // "type: kUserLayer" beside a user_type is no contradiction.
  bool IsUserType(const char* field) const {
    return Field(field).enum_type() && EnumName(field).rfind("kUser", 0) == 0;
  }
  // Once for each field: what the message above says of it comes first.
  void Warn(const std::string& field, const std::string& text) {
    const std::string path = JoinPath(path_, field);
    if (std::none_of(warnings_->begin(), warnings_->end(),
                     [&path](const ConfigError& warning) { return warning.path() == path; }))
      warnings_->push_back(ConfigError(path, text));
  }

  void CheckTypes(const ForTypes& row) {
    const FieldDescriptor* user = type_.FindFieldByName("user_type");
    if (!user) user = type_.FindFieldByName("user_alg");
    if (user && Has(user->name().c_str())) return;  // it may read anything
    const std::string type = EnumName(row.by);
    if (type.rfind("kUser", 0) == 0) return;  // an error, reported elsewhere
    if ((" " + std::string(row.types) + " ").find(" " + type + " ") != std::string::npos) return;
    std::string types;
    for (char c : std::string(row.types)) types += c == ' ' ? ", " : std::string(1, c);
    Warn(row.field, StrCat("has no effect with ", row.by, ": ", type, "; it is for ", types));
  }

  void CheckStore(const StoreProto& store) {
    if (store.has_max_bad_records() && store.on_bad_record() != StoreProto::kSkip)
      Warn("max_bad_records", "has no effect without on_bad_record: kSkip");
    if (store.has_label_path() && store.backend() != "idx")
      Warn("label_path", "has no effect: only backend \"idx\" has labels in a file of their own");
    const bool synthetic = store.backend() == "synthetic";
    if (store.has_path() && synthetic)
      Warn("path", "has no effect: backend \"synthetic\" has no file");
    const bool says_so = store.backend() == "imagefolder" || store.backend() == "lmdb";
    if (store.encoded() && (synthetic || says_so || store.backend() == "shard"))
      Warn("encoded", StrCat("has no effect with backend \"", store.backend(), "\""));
    if (store.has_synthetic_conf() && !synthetic)
      Warn("synthetic_conf", "has no effect: it is for backend \"synthetic\"");
  }

  // What only readers of a store look at.
  void CheckOutputStore(const LayerProto& layer) {
    if (!WritesFile(layer)) return;
    const Message& store = layer.store_conf();
    std::vector<const FieldDescriptor*> fields;
    store.GetReflection()->ListFields(store, &fields);
    for (const FieldDescriptor* field : fields)
      if (field->name() != "backend" && field->name() != "path")
        Warn(StrCat("store_conf.", field->name()), "has no effect: the layer writes a store");
  }

  // What only readers of a text look at.
  void CheckOutputText(const LayerProto& layer) {
    if (layer.type() != kCharRNNOutput) return;
    const CharRNNProto& text = layer.char_rnn_conf();
    for (const auto& [field, set] :
         {std::pair("path", text.has_path()), std::pair("unroll_len", text.has_unroll_len()),
          std::pair("batchsize", text.has_batchsize()), std::pair("begin", text.has_begin()),
          std::pair("end", text.has_end())})
      if (set) Warn(StrCat("char_rnn_conf.", field), "has no effect: the layer reads no text");
  }

  void CheckLayer(const LayerProto& layer) {
    if (layer.partition_dim() == 1) Warn("partition_dim", kAlone);
    if (layer.has_user_type()) return;
    CheckOutputStore(layer);
    CheckOutputText(layer);
    if (const std::string text = OldTypeText(layer.type()); !text.empty()) Warn("type", text);
  }

  const Message& message_;
  const google::protobuf::Descriptor& type_;
  const std::string& path_;
  ConfigErrors* warnings_;
};

}  // namespace

void WarnWithoutEffect(const Message& message, ConfFindings* found) {
  WalkMessages(message, "", [found](const Message& part, const std::string& path) {
    Effects(part, path, &found->warnings).Check();
  });
}

}  // namespace singa
