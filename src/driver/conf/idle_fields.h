// Tables of fields that have no effect, always or because of other fields, with the warnings'
// texts.
#pragma once

namespace singa {

inline constexpr const char* kOld = "has no effect; kept for old files";
inline constexpr const char* kSystem = "is set by the system; a value here has no effect";

// A field whose value has no effect; a value other than the default draws a warning.
struct Idle {
  const char* message;
  const char* field;
  const char* text;
};
inline constexpr Idle kIdle[] = {
    {"JobProto", "reset_param_version", kOld},
    {"JobProto", "resume", kSystem},
    {"JobProto", "step", kSystem},
    {"JobProto", "id", kSystem},
    {"NetProto", "layer_group", kOld},
    {"ClusterProto", "start_port", kOld},
    {"ClusterProto", "poll_time", kOld},
    {"SingaProto", "zookeeper_host", kOld},
    {"StoreProto", "prefetching", "has no effect: records are always read ahead"},
    {"ConvolutionProto", "workspace_byte_limit", "has no effect on a CPU"},
    {"LayerProto", "unroll_index", kSystem},
    {"LayerProto", "partition_id", kSystem},
    {"LayerProto", "num_partitions", kSystem},
    {"LayerProto", "carried_steps", kSystem},
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

// A field that has an effect only for some values of the enum field `by`.
struct ForTypes {
  const char* message;
  const char* by;
  const char* field;
  const char* types;
};
inline constexpr ForTypes kForTypes[] = {
    {"AlgProto", "alg", "cd_conf", "kCD"},
    {"UpdaterProto", "type", "momentum", "kSGD kNesterov"},
    {"UpdaterProto", "type", "delta", "kAdaGrad kRMSProp kAdaDelta kAdam kAdamMax kAdamW"},
    {"UpdaterProto", "type", "rmsprop_conf", "kRMSProp"},
    {"UpdaterProto", "type", "adadelta_conf", "kAdaDelta"},
    {"UpdaterProto", "type", "adam_conf", "kAdam kAdamW"},
    {"UpdaterProto", "type", "adammax_conf", "kAdamMax"},
    {"LRGenProto", "type", "base_lr",
     "kFixed kInverseT kInverse kExponential kLinear kStep kCosine kPolynomial"},
    {"LRGenProto", "type", "fixedstep_conf", "kFixedStep"},
    {"LRGenProto", "type", "step_conf", "kStep"},
    {"LRGenProto", "type", "linear_conf", "kLinear"},
    {"LRGenProto", "type", "exponential_conf", "kExponential"},
    {"LRGenProto", "type", "inverse_conf", "kInverse"},
    {"LRGenProto", "type", "inverset_conf", "kInverseT"},
    {"LRGenProto", "type", "cosine_conf", "kCosine"},
    {"LRGenProto", "type", "polynomial_conf", "kPolynomial"},
    {"ParamGenProto", "type", "mean", "kGaussian kGaussianSqrtFanIn"},
    {"ParamGenProto", "type", "std", "kGaussian kGaussianSqrtFanIn"},
    {"ParamGenProto", "type", "low", "kUniform kUniformSqrtFanIn kUniformSqrtFanInOut"},
    {"ParamGenProto", "type", "high", "kUniform kUniformSqrtFanIn kUniformSqrtFanInOut"},
    {"AllReduceProto", "compression", "sparsity", "kTopK kThreshold"},
    {"AllReduceProto", "compression", "threshold", "kThreshold"},
    {"AllReduceProto", "compression", "clip", "kFp16"},
    {"AllReduceProto", "compression", "error_feedback", "kTopK kThreshold kPowerSGD"},
    {"AllReduceProto", "compression", "momentum_correction", "kTopK kThreshold"},
    {"AllReduceProto", "compression", "local_clipping", "kTopK kThreshold"},
    {"AllReduceProto", "compression", "factor_masking", "kTopK"},
    {"AllReduceProto", "compression", "warmup_steps", "kTopK"},
    {"AllReduceProto", "compression", "rank", "kPowerSGD"},
    {"ClusterProto", "group_sync", "outer_lr", "kOuter"},
    {"ClusterProto", "group_sync", "outer_momentum", "kOuter"},
    {"ClusterProto", "group_sync", "outer_compression", "kOuter"},
    {"ClusterProto", "group_sync", "outer_fragments", "kOuter"},
    {"ClusterProto", "group_sync", "outer_overlap", "kOuter"},
    {"ClusterProto", "group_sync", "outer_mixing", "kOuter"},
    {"LayerProto", "type", "store_conf", "kRecordInput kCSVInput kRecordOutput kCSVOutput"},
    {"LayerProto", "type", "lmdbdata_conf", "kLMDBData"},
    {"LayerProto", "type", "mnist_conf", "kMnist"},
    {"LayerProto", "type", "rgbimage_conf", "kImagePreprocess kRGBImage"},
    {"LayerProto", "type", "sharddata_conf", "kShardData"},
    {"LayerProto", "type", "char_rnn_conf", "kCharRNN kCharRNNOutput"},
    {"LayerProto", "type", "onehot_conf", "kOneHot"},
    {"LayerProto", "type", "activation_conf", "kActivation kCudnnActivation"},
    {"LayerProto", "type", "convolution_conf",
     "kConvolution kCConvolution kCudnnConv kDeconvolution"},
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
    {"LayerProto", "type", "eltwise_conf", "kEltwise"},
    {"LayerProto", "type", "layer_norm_conf", "kLayerNorm"},
    {"LayerProto", "type", "attention_conf", "kAttention"},
    {"LayerProto", "type", "position_embedding_conf", "kPositionEmbedding"},
    {"LayerProto", "type", "softmaxloss_conf", "kSoftmaxLoss kCudnnSoftmaxLoss"},
    {"LayerProto", "type", "euclidean_loss_conf", "kEuclideanLoss"},
    {"LayerProto", "type", "sigmoid_cross_entropy_conf", "kSigmoidCrossEntropyLoss"},
    {"LayerProto", "type", "loss_weight",
     "kEuclideanLoss kSoftmaxLoss kCudnnSoftmaxLoss kSigmoidCrossEntropyLoss kDummy"},
    {"LayerProto", "type", "argsort_conf", "kArgSort kAccuracy"},
    {"LayerProto", "type", "sample_conf", "kSample"},
    {"LayerProto", "type", "concate_conf", "kConcate"},
    {"LayerProto", "type", "slice_conf", "kSlice"},
    {"LayerProto", "type", "split_conf", "kSplit"},
    {"LayerProto", "type", "rnn_dummy_conf", "kRNNDummy"},
    {"LayerProto", "type", "time_steps_conf", "kTimeSteps"},
};

// A field of a layer's settings that has no effect with one of the types that have these settings.
struct IdleWith {
  const char* type;
  const char* settings;
  const char* field;
  const char* text;
  bool even_default = true;  // whether the default, if it is set, draws the warning, too
};
inline constexpr const char* kReadsNoText = "has no effect: the layer reads no text";
inline constexpr IdleWith kIdleWith[] = {
    {"kCharRNNOutput", "char_rnn_conf", "path", kReadsNoText},
    {"kCharRNNOutput", "char_rnn_conf", "unroll_len", kReadsNoText},
    {"kCharRNNOutput", "char_rnn_conf", "batchsize", kReadsNoText},
    {"kCharRNNOutput", "char_rnn_conf", "begin", kReadsNoText},
    {"kCharRNNOutput", "char_rnn_conf", "end", kReadsNoText},
    {"kCharRNNOutput", "char_rnn_conf", "shuffle", kReadsNoText, false},
    {"kRBMHid", "rbm_conf", "persistent", "has no effect: it is for the kRBMVis", false},
    {"kRBMVis", "rbm_conf", "gaussian", "has no effect: the setting of the kRBMHid is for both"},
    {"kArgSort", "argsort_conf", "ignore_label", "has no effect: the layer reads no labels"},
    {"kArgSort", "argsort_conf", "per_class", "has no effect: the layer reads no labels", false},
};

// Types of layers that keep the time steps of RNNDummyProto.window.
inline constexpr const char* kWindowTypes[] = {"kAttention", "kPositionEmbedding"};

// A field that another field overrides if both are set.
struct Overruled {
  const char* message;
  const char* field;
  const char* winner;
};
inline constexpr Overruled kOverruled[] = {
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
    {"ConvolutionProto", "dilation_x", "dilation"},
    {"ConvolutionProto", "dilation_y", "dilation"},
    {"PoolingProto", "kernel_x", "kernel"},
    {"PoolingProto", "kernel_y", "kernel"},
    {"PoolingProto", "pad_x", "pad"},
    {"PoolingProto", "pad_y", "pad"},
    {"PoolingProto", "stride_x", "stride"},
    {"PoolingProto", "stride_y", "stride"},
};

// A number that has an effect only if another one is not 0.
struct Without {
  const char* message;
  const char* field;
  const char* other;
  const char* or_other;
};
inline constexpr Without kWithout[] = {
    {"JobProto", "debug", "disp_freq", nullptr},
    {"JobProto", "disp_after", "disp_freq", nullptr},
    {"JobProto", "test_after", "test_freq", "test_epochs"},
    {"JobProto", "validate_after", "validate_freq", nullptr},
    {"JobProto", "validate_steps", "validate_freq", nullptr},
    {"JobProto", "checkpoint_after", "checkpoint_freq", nullptr},
    {"JobProto", "tensorboard_histogram_freq", "tensorboard", nullptr},
    {"RGBImageProto", "area_max", "area_min", nullptr},
    {"RGBImageProto", "aspect_max", "area_min", nullptr},
};

// A field that has an effect only if a switch of its message is on.
struct SwitchedOff {
  const char* message;
  const char* field;
  const char* by;
};
inline constexpr SwitchedOff kSwitchedOff[] = {
    {"AllReduceProto", "momentum_correction", "error_feedback"},
    {"AllReduceProto", "local_clipping", "error_feedback"},
    {"AllReduceProto", "factor_masking", "error_feedback"},
    {"AllReduceProto", "factor_masking", "momentum_correction"},
    {"StoreProto", "class_names", "has_label"},
};

}  // namespace singa
