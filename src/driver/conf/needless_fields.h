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
inline constexpr char kLaunched[] =
    "leave it out: mpirun, srun or Kubernetes starts the processes on their hosts";

inline constexpr NeedlessRow kNeedless[] = {
    {"JobProto", "batch batchsize trainbatchsize",
     "set batchsize in the store_conf of the input layer"},
    {"JobProto", "numworkers nworkers",
     "set cluster { nworkers_per_group } for training, or decode_threads in store_conf for "
     "reading"},
    {"JobProto", "nnodes numnodes rank localrank", kLaunched},
    {"JobProto", "backend", "set cluster { all_reduce { backend } }"},
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
    {"BMProto", "numfeatures", kFromSource},
    {"GRUProto", "inputsize inputdim", kFromSource},
    {"LSTMProto", "inputsize inputdim", kFromSource},
    {"RNNProto", "inputsize inputdim", kFromSource},
    {"InnerProductProto", "weightfiller biasfiller kernelinitializer biasinitializer", kInParam},
    {"ConvolutionProto", "weightfiller biasfiller kernelinitializer biasinitializer", kInParam},
    {"EmbeddingProto", "weightfiller embeddingsinitializer", kInParam},
};

}  // namespace singa
