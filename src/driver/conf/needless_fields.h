// Fields of other systems that a job here does not need, or sets elsewhere, with advice.
#pragma once

namespace singa {

struct NeedlessRow {
  const char* type;   // the message
  const char* known;  // names, in lower case, only letters and digits
  const char* instead;
};

inline constexpr char kFromSource[] = "leave it out: the source layer gives this size";
inline constexpr char kInParam[] =
    "the layer has it in param { init { } }, outside of these braces";

inline constexpr char kRounds[] =
    "set group_sync: kOuter, nworker_groups and nserver_groups to the number of groups, and "
    "sync_freq to the local steps";
inline constexpr char kMeans[] =
    "set group_sync: kOuter, outer_lr: 1, outer_momentum: 0, nworker_groups and nserver_groups to "
    "the number of groups, and sync_freq to the local steps";
inline constexpr char kModelWidth[] =
    "set embedding_conf { feature_dim } of the kEmbedding; the layers above take the width of "
    "their source";
inline constexpr char kHeads[] = "set attention_conf { num_heads } in each kAttention";
inline constexpr char kRepeat[] = "write the layers of a block once, in neuralnet { repeat { } }";
inline constexpr char kDropouts[] =
    "add a layer of type kDropout, or set attention_conf { dropout_ratio }";
inline constexpr char kPowers[] =
    "type kPolynomial has polynomial_conf { power }, type kInverse has inverse_conf { pow }";
inline constexpr char kInUpdater[] = "the updater has it as delta, outside of these braces";
inline constexpr char kAccumulates[] =
    "the job has it as accumulate_steps, outside of these braces";
inline constexpr char kFusion[] =
    "set all_reduce { fusion_elements }, a number of floats: 1 MB has 262144";
inline constexpr char kLaunched[] =
    "leave it out: mpirun, srun or Kubernetes starts the processes on their hosts";

inline constexpr NeedlessRow kNeedless[] = {
    {"JobProto", "batch batchsize trainbatchsize",
     "set batchsize in the store_conf of the input layer"},
    {"JobProto", "numworkers nworkers",
     "set cluster { nworkers_per_group } for training, or decode_threads in store_conf for "
     "reading"},
    {"JobProto", "nnodes numnodes rank localrank", kLaunched},
    {"JobProto", "backend gloo nccl", "set cluster { all_reduce { backend } }"},
    {"JobProto", "nembd embeddim dmodel hiddensize", kModelWidth},
    {"JobProto", "nhead nheads heads numheads numattentionheads", kHeads},
    {"JobProto", "nlayer nlayers numlayers numhiddenlayers", kRepeat},
    {"JobProto", "dropout dropoutratio", kDropouts},
    {"JobProto", "labelsmoothing", "set softmaxloss_conf { label_smoothing } in the loss layer"},
    {"JobProto", "bucketcapmb bucketsize fusionthreshold", kFusion},
    {"JobProto", "power", kPowers},
    {"NetProto", "nembd embeddim dmodel hiddensize", kModelWidth},
    {"NetProto", "nhead nheads heads numheads numattentionheads", kHeads},
    {"NetProto", "nlayer nlayers numlayers numhiddenlayers", kRepeat},
    {"NetProto", "dropout dropoutratio", kDropouts},
    {"UpdaterProto", "ema emadecay", "the job has it as ema_decay, outside of these braces"},
    {"UpdaterProto", "gradientaccumulationsteps backwardpassesperstep accumulationsteps",
     kAccumulates},
    {"LRGenProto", "power", kPowers},
    {"AdamProto", "eps epsilon delta", kInUpdater},
    {"RMSPropProto", "eps epsilon delta", kInUpdater},
    {"ClusterProto", "gradientaccumulationsteps backwardpassesperstep accumulationsteps",
     kAccumulates},
    {"ClusterProto", "bucketcapmb bucketsize fusionthreshold", kFusion},
    {"ClusterProto", "gloo nccl", "set all_reduce { backend }"},
    {"ClusterProto", "diloco outeroptimizer", kRounds},
    {"ClusterProto", "localsgd", kMeans},
    {"ClusterProto", "nprocpernode gpuspernode",
     "set nworkers_per_group to the workers of all hosts; each is a process of its own, unless "
     "nworkers_per_procs is above 1"},
    {"ClusterProto", "topk dgc", "set all_reduce { compression: kTopK }"},
    {"ClusterProto", "rank localrank noderank",
     "leave it out: singa, or the launcher, tells each process its rank; the rank of kPowerSGD "
     "belongs in all_reduce { }"},
    {"ClusterProto", "nnodes numnodes nodes hosts hostfile", kLaunched},
    {"ClusterProto", "masterport port", "write it behind the host: coordinator: \"HOST:PORT\""},
    {"AllReduceProto", "bucketcapmb bucketsize fusionthreshold",
     "set fusion_elements, a number of floats: 1 MB has 262144"},
    {"JobProto", "solvermode", "leave it out for the CPU; gpu: 0 trains on the first GPU"},
    {"LayerProto", "top tops output outputs",
     "leave it out: other layers read a layer by its name"},
    {"LayerProto", "propagatedown", "leave it out: gradients stop where no param is trained"},
    {"LayerProto",
     "infeatures inchannels numfeatures normalizedshape inputsize inputshape inputdim",
     kFromSource},
    {"InnerProductProto", "infeatures inchannels ninput numinput inputdim inputsize", kFromSource},
    {"ConvolutionProto", "inchannels infeatures ninput numinput inputdim", kFromSource},
    {"LayerProto", "nembd embeddim dmodel", kModelWidth},
    {"LayerProto", "blocksize contextlength seqlen",
     "set neuralnet { unroll_len }; position_embedding_conf { max_steps } is the longest sequence"},
    {"AttentionProto", "nembd embeddim dmodel hiddensize", kFromSource},
    {"AttentionProto", "headdim headsize",
     "leave it out: it is the width of the source divided by num_heads"},
    {"LayerNormProto", "normalizedshape numfeatures", kFromSource},
    {"PositionEmbeddingProto", "nembd embeddim embeddingdim dmodel hiddensize", kFromSource},
    {"BMProto", "numfeatures", kFromSource},
    {"GRUProto", "inputsize inputdim", kFromSource},
    {"LSTMProto", "inputsize inputdim", kFromSource},
    {"RNNProto", "inputsize inputdim", kFromSource},
    {"InnerProductProto", "weightfiller biasfiller kernelinitializer biasinitializer", kInParam},
    {"ConvolutionProto", "weightfiller biasfiller kernelinitializer biasinitializer", kInParam},
    {"EmbeddingProto", "weightfiller embeddingsinitializer", kInParam},
};

}  // namespace singa
