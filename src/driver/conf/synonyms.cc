#include "driver/conf/synonyms.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "driver/conf/needless_fields.h"

namespace singa {
namespace {

struct Row {
  const char* type;   // the enum or the message
  const char* known;  // names in other systems, in lower case, only letters and digits
  const char* ours;   // names here; the first one that the schema has is used
};

constexpr Row kRows[] = {
    {"LayerType", "linear dense fullyconnected fc affine ip", "kInnerProduct"},
    {"LayerType", "conv conv1d conv2d convolution2d", "kConvolution"},
    {"LayerType", "deconv convtranspose convtranspose2d conv2dtranspose", "kDeconvolution"},
    {"LayerType", "batchnorm batchnorm1d batchnorm2d batchnormalization bn scale", "kBM"},
    {"LayerType", "layernorm layernormalization", "kLayerNorm"},
    {"LayerType", "pool pool2d maxpool maxpool2d maxpooling2d avgpool avgpool2d averagepooling2d",
     "kPooling"},
    {"LayerType", "globalaveragepooling2d adaptiveavgpool2d", "kPooling"},
    {"LayerType", "leakyrelu rectifiedlinear", "kReLU"},
    {"LayerType", "tanh gelu silu swish relu6 hardsigmoid hardswish", "kActivation"},
    {"LayerType", "localresponsenorm", "kLRN"},
    {"LayerType", "eltwise add sum residual", "kEltwise"},
    {"LayerType", "concat cat concatenate", "kConcate"},
    {"LayerType",
     "crossentropyloss crossentropy softmaxwithloss nllloss multinomiallogisticloss "
     "sparsecategoricalcrossentropy categoricalcrossentropy softmaxcrossentropyloss",
     "kSoftmaxLoss"},
    {"LayerType", "bceloss bcewithlogitsloss binarycrossentropy sigmoidcrossentropyloss",
     "kSigmoidCrossEntropyLoss"},
    {"LayerType", "mseloss mse l2loss meansquarederror", "kEuclideanLoss"},
    {"LayerType", "argmax topk", "kArgSort"},
    {"LayerType", "data imagedata input memorydata dataset hdf5data", "kRecordInput"},
    {"LayerType", "multiheadattention selfattention transformer", "kAttention"},
    {"LayerType", "embed", "kEmbedding"},
    {"LayerType", "logistic", "kSigmoid"},
    {"InitMethod", "glorot xavieruniform glorotuniform", "kUniformSqrtFanInOut"},
    {"InitMethod", "xaviernormal msra msrafiller kaiming kaimingnormal he henormal lecunnormal",
     "kGaussianSqrtFanIn"},
    {"InitMethod", "xavier xavierfiller kaiminguniform heuniform lecununiform",
     "kUniformSqrtFanIn"},
    {"InitMethod", "normal gaussian randn randomnormal truncatednormal", "kGaussian"},
    {"InitMethod", "zeros ones zero one", "kConstant"},
    {"InitMethod", "rand randomuniform", "kUniform"},
    {"UpdaterType", "adamax", "kAdamMax"},
    {"UpdaterType", "adamw", "kAdamW"},
    {"UpdaterType", "nag", "kNesterov"},
    {"UpdaterType", "momentum gradientdescent", "kSGD"},
    {"ChangeMethod", "multistep multisteplr piecewiseconstant", "kFixedStep"},
    {"ChangeMethod", "constant constantlr", "kFixed"},
    {"ChangeMethod", "steplr", "kStep"},
    {"ChangeMethod", "exp exponentiallr", "kExponential"},
    {"ChangeMethod", "inv", "kInverse"},
    {"ChangeMethod", "cosineannealing cosineannealinglr cosinedecay", "kCosine"},
    {"ChangeMethod", "poly polynomiallr polynomialdecay", "kPolynomial"},
    {"ActivationType", "logistic", "SIGMOID"},
    {"ActivationType", "swish", "SILU"},
    {"ActivationType", "hswish", "HARD_SWISH"},
    {"ActivationType", "hsigmoid", "HARD_SIGMOID"},
    {"PoolMethod", "ave average mean avgpool", "AVG"},
    {"PoolMethod", "maxpool", "MAX"},
    {"Phase", "train training", "kTrain"},
    {"Phase", "test testing", "kTest"},
    {"Phase", "val validate validation eval", "kVal"},
    {"AlgType", "backprop backpropagation", "kBP"},
    {"JobProto", "maxiter maxsteps numsteps iterations steps totalsteps", "train_steps"},
    {"JobProto", "layer layers", "neuralnet.layer"},
    {"JobProto", "epochs maxepochs numepochs maxepoch numtrainepochs", "train_epochs"},
    {"JobProto",
     "itersize gradientaccumulationsteps accumulategradbatches accumsteps gradientaccumulation "
     "backwardpassesperstep",
     "accumulate_steps"},
    {"JobProto", "patience earlystopping earlystoppingpatience earlystop", "stop_patience"},
    {"JobProto", "ema modelema emamomentum averagedecay", "ema_decay"},
    {"JobProto", "blocksize contextlength contextsize seqlen seqlength sequencelength bptt",
     "neuralnet.unroll_len"},
    {"NetProto", "blocksize contextlength contextsize seqlen seqlength sequencelength bptt",
     "unroll_len"},
    {"JobProto", "testinterval", "test_freq"},
    {"JobProto", "testiter", "test_steps"},
    {"JobProto", "display logfreq", "disp_freq"},
    {"JobProto", "snapshot checkpointfrequency", "checkpoint_freq"},
    {"JobProto", "snapshotprefix workspace", "cluster.workspace"},
    {"JobProto", "weights pretrained checkpoint", "checkpoint_path"},
    {"JobProto", "lr learningrate baselr", "updater.learning_rate.base_lr"},
    {"JobProto", "lrpolicy", "updater.learning_rate.type"},
    {"JobProto", "optimizer optim solver solvertype", "updater"},
    {"JobProto", "weightdecay", "updater.weight_decay"},
    {"JobProto", "stepsize", "updater.learning_rate.step_conf.change_freq"},
    {"JobProto", "stepvalue milestones", "updater.learning_rate.fixedstep_conf.step"},
    {"JobProto", "gamma", "updater.learning_rate.step_conf.gamma"},
    {"JobProto", "clipgradients maxgradnorm gradclip", "updater.clip_norm"},
    {"JobProto", "momentum2", "updater.adam_conf.beta2"},
    {"JobProto", "rmsdecay", "updater.rmsprop_conf.rho"},
    {"JobProto", "net network model trainnet testnet", "neuralnet"},
    {"JobProto", "device devices deviceid", "gpu"},
    {"JobProto", "randomseed", "seed"},
    {"UpdaterProto", "lr baselr", "learning_rate.base_lr"},
    {"UpdaterProto", "l2 wd decay", "weight_decay"},
    {"UpdaterProto", "eps epsilon", "delta"},
    {"UpdaterProto", "clipgradients maxnorm gradclip maxgradnorm", "clip_norm"},
    {"LRGenProto", "lr learningrate", "base_lr"},
    {"LRGenProto", "lrpolicy policy", "type"},
    {"LRGenProto", "warmup", "warmup_steps"},
    {"LRGenProto", "stepsize", "step_conf.change_freq"},
    {"LRGenProto", "stepvalue milestones", "fixedstep_conf.step"},
    {"LRGenProto", "gamma", "step_conf.gamma"},
    {"LRGenProto", "tmax", "cosine_conf.change_freq"},
    {"LRGenProto", "etamin minlr", "cosine_conf.final_lr"},
    {"LRGenProto", "maxiter totaliters", "polynomial_conf.change_freq"},
    {"StepProto", "stepsize", "change_freq"},
    {"FixedStepProto", "stepvalue milestones", "step"},
    {"InverseProto", "power", "pow"},
    {"CosineProto", "tmax totaliters maxiter decaysteps", "change_freq"},
    {"CosineProto", "etamin minlr endlr", "final_lr"},
    {"PolynomialProto", "maxiter totaliters", "change_freq"},
    {"PolynomialProto", "pow", "power"},
    {"PolynomialProto", "endlr endlearningrate minlr", "final_lr"},
    {"AdamProto", "betas momentum", "beta1"},
    {"AdamProto", "momentum2", "beta2"},
    {"RMSPropProto", "alpha rmsdecay decay", "rho"},
    {"LayerProto", "bottom bottoms inputs input src source srclayer", "srclayers"},
    {"LayerProto", "convolutionparam", "convolution_conf"},
    {"LayerProto", "poolingparam", "pooling_conf"},
    {"LayerProto", "innerproductparam linearconf denseconf fcconf", "innerproduct_conf"},
    {"LayerProto", "dropoutparam", "dropout_conf"},
    {"LayerProto", "lrnparam", "lrn_conf"},
    {"LayerProto", "batchnormparam batchnormconf bnconf", "bm_conf"},
    {"LayerProto", "dataparam imagedataparam storeparam dataconf", "store_conf"},
    {"LayerProto", "reluparam", "relu_conf"},
    {"LayerProto", "eltwiseparam", "eltwise_conf"},
    {"LayerProto", "concatparam concatconf", "concate_conf"},
    {"LayerProto", "sliceparam", "slice_conf"},
    {"LayerProto", "transformparam", "store_conf"},
    {"LayerProto", "embedparam", "embedding_conf"},
    {"LayerProto", "lossparam softmaxparam softmaxlossparam", "softmaxloss_conf"},
    {"LayerProto", "accuracyparam argmaxparam", "argsort_conf"},
    {"LayerProto", "nhead nheads heads numattentionheads", "attention_conf.num_heads"},
    {"LayerProto", "inplace", "share_src_blobs"},
    {"LayerProto", "phase", "include"},
    {"LayerProto", "batchsize", "store_conf.batchsize"},
    {"LayerProto", "backend", "store_conf.backend"},
    {"LayerProto", "weight weights bias blobs paramspec", "param"},
    {"ParamProto", "lrmult", "lr_scale"},
    {"ParamProto", "decaymult", "wd_scale"},
    {"ParamProto", "weightfiller biasfiller filler initializer", "init"},
    {"ParamGenProto", "min", "low"},
    {"ParamGenProto", "max", "high"},
    {"ParamGenProto", "stddev sigma", "std"},
    {"InnerProductProto", "outfeatures outchannels units numunits outputs", "num_output"},
    {"InnerProductProto", "bias usebias", "bias_term"},
    {"ConvolutionProto", "numoutput outchannels outfeatures filters channels", "num_filters"},
    {"ConvolutionProto", "kernelsize", "kernel"},
    {"ConvolutionProto", "padding", "pad"},
    {"ConvolutionProto", "strides", "stride"},
    {"ConvolutionProto", "kernelw", "kernel_x"},
    {"ConvolutionProto", "kernelh", "kernel_y"},
    {"ConvolutionProto", "groups", "group"},
    {"ConvolutionProto", "bias usebias", "bias_term"},
    {"PoolingProto", "kernelsize poolsize", "kernel"},
    {"PoolingProto", "padding", "pad"},
    {"PoolingProto", "strides", "stride"},
    {"PoolingProto", "type method mode", "pool"},
    {"DropoutProto", "p rate ratio prob", "dropout_ratio"},
    {"EmbeddingProto", "numembeddings inputdim vocab nvocab", "vocab_size"},
    {"EmbeddingProto", "embeddingdim outputdim dim nembd embeddim embedsize dmodel hiddensize",
     "feature_dim"},
    {"PositionEmbeddingProto",
     "blocksize contextlength contextsize seqlen maxlen maxlength maxseqlen numembeddings nctx "
     "maxpositionembeddings",
     "max_steps"},
    {"AttentionProto", "nhead nheads heads numattentionheads", "num_heads"},
    {"AttentionProto", "dropout attentiondropout attndropout attnpdrop p", "dropout_ratio"},
    {"AttentionProto", "iscausal", "causal"},
    {"AttentionProto", "bias usebias qkvbias", "bias_term"},
    {"GRUProto", "hiddensize hiddendim numoutput units", "dim_hidden"},
    {"LSTMProto", "hiddensize hiddendim numoutput units", "dim_hidden"},
    {"RNNProto", "hiddensize hiddendim numoutput units", "dim_hidden"},
    {"StoreProto", "batch batches", "batchsize"},
    {"StoreProto", "source root file filename", "path"},
    {"StoreProto", "numworkers", "decode_threads"},
    {"StoreProto", "format type", "backend"},
    {"StoreProto", "mean", "mean_value"},
    {"StoreProto", "std", "std_value"},
    {"ConcateProto", "axis dim concatdim", "concate_dim"},
    {"SliceProto", "axis dim slicedim", "slice_dim"},
    {"ReLUProto", "slope alpha", "negative_slope"},
    {"BMProto", "eps", "epsilon"},
    {"LayerNormProto", "eps layernormeps", "epsilon"},
    {"SoftmaxLossProto", "weight weights classweights", "class_weight"},
    {"SoftmaxLossProto", "ignoreindex", "ignore_label"},
    {"SoftmaxLossProto", "smoothing", "label_smoothing"},
    {"SigmoidCrossEntropyProto", "weight weights positiveweight", "pos_weight"},
    {"ClusterProto", "nworkersperprocess", "nworkers_per_procs"},
    {"ClusterProto", "nserversperprocess", "nservers_per_procs"},
    {"ClusterProto", "nworkers numworkers workers worldsize np nproc nprocs numprocesses replicas",
     "nworkers_per_group"},
    {"ClusterProto", "nservers numservers servers numps parameterservers", "nservers_per_group"},
    {"ClusterProto", "groups ngroups numgroups workergroups", "nworker_groups"},
    {"ClusterProto", "localsteps syncevery syncinterval syncperiod innersteps", "sync_freq"},
    {"ClusterProto", "staleness maxdelay stalenessbound", "max_staleness"},
    {"ClusterProto", "masteraddr masteraddress initmethod rdzvendpoint master", "coordinator"},
    {"ClusterProto", "timeout", "peer_timeout"},
    {"AllReduceProto", "ratio density topk topkratio compressratio compressionratio", "sparsity"},
    {"AllReduceProto", "compressor codec gradientcompression commhook", "compression"},
    {"AllReduceProto", "residual errorcompensation", "error_feedback"},
    {"AllReduceProto", "matrixapproximationrank", "rank"},
    {"Backend", "parameterserver ps", "kServers"},
    {"Backend", "openmpi", "kMpi"},
    {"Backend", "shm sharedmemory", "kMemory"},
    {"Backend", "any auto default gloo", "kAnyBackend"},
    {"Compression", "dgc deepgradientcompression", "kTopK"},
    {"Compression", "half float16", "kFp16"},
    {"Compression", "lowrank", "kPowerSGD"},
    {"GroupSync", "diloco localsgd", "kOuter"},
    {"GroupSync", "easgd elasticaveraging", "kElastic"},
};

// Returns `name` in lower case, only letters and digits.
std::string Plain(const std::string& name) {
  std::string plain;
  for (const unsigned char c : name)
    if (std::isalnum(c)) plain += static_cast<char>(std::tolower(c));
  return plain;
}

bool Contains(std::string_view words, const std::string& word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

// Returns the first of the row's names that `has` accepts.
template <typename Has>
std::string FirstOf(const char* ours, const Has& has) {
  for (std::string_view rest = ours; !rest.empty();) {
    const std::string name(rest.substr(0, rest.find(' ')));
    if (has(name)) return name;
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return "";
}

template <typename Has>
std::string Find(const std::string& type, const std::string& name, const Has& has) {
  const std::string plain = Plain(name);
  if (plain.empty()) return "";
  // kLinear and LinearLayer mean the same as Linear.
  const std::string bare =
      name[0] == 'k' && name.size() > 1 && std::isupper(static_cast<unsigned char>(name[1]))
          ? plain.substr(1)
          : plain;
  const std::string stem =
      bare.size() > 5 && bare.ends_with("layer") ? bare.substr(0, bare.size() - 5) : bare;
  for (const Row& row : kRows) {
    if (type != row.type) continue;
    if (!Contains(row.known, plain) && !Contains(row.known, stem)) continue;
    const std::string ours = FirstOf(row.ours, has);
    if (!ours.empty()) return ours;
  }
  return "";
}

}  // namespace

std::string SynonymOf(const google::protobuf::EnumDescriptor& type, const std::string& name) {
  return Find(type.name(), name,
              [&type](const std::string& ours) { return type.FindValueByName(ours) != nullptr; });
}

std::string SynonymOf(const google::protobuf::Descriptor& type, const std::string& name) {
  return Find(type.name(), name, [&type](const std::string& ours) {
    return type.FindFieldByName(ours.substr(0, ours.find('.'))) != nullptr;
  });
}

std::string InsteadOf(const google::protobuf::Descriptor& type, const std::string& name) {
  const std::string plain = Plain(name);
  for (const NeedlessRow& row : kNeedless)
    if (!plain.empty() && type.name() == row.type && Contains(row.known, plain)) return row.instead;
  return "";
}

}  // namespace singa
