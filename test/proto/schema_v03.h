// These tables are the schema of SINGA 0.3, for schema_test.cc. They are written from its
// description, not from the .proto files.
#pragma once

namespace singa {

// MessageSpec is a message. extensions: "first-last", both included, or "".
// fields: "number name type[=default]" with "; " between; after the number, * is repeated, R is
// required, neither optional; after the type, "packed".
struct MessageSpec {
  const char* name;
  const char* extensions;
  const char* fields;
};

struct EnumSpec {
  const char* name;
  const char* values;  // "name=number" with spaces between
};

inline constexpr MessageSpec kMessages[] = {
    // job.proto
    {"JobProto", "101-200",
     "1 name string; 3 neuralnet NetProto; 5 train_one_batch AlgProto; 7 updater UpdaterProto; "
     "9 cluster ClusterProto; 16 train_steps int32; 17 disp_freq int32=0; 18* gpu int32; "
     "20 test_freq int32=0; 21 test_steps int32=0; 25 validate_freq int32=0; "
     "26 validate_steps int32=0; 30 checkpoint_freq int32=0; 60* checkpoint_path string; "
     "61 warmup_steps int32=0; 62 debug bool=false; 63 reset_param_version bool=true; "
     "64 num_openblas_threads int32=1; 80 checkpoint_after int32=0; 81 disp_after int32=0; "
     "82 test_after int32=0; 83 validate_after int32=0; 90 resume bool=false; 91 step int32=0; "
     "92 id int32=-1"},
    {"AlgProto", "101-200", "1 alg AlgType=kUserAlg; 2 user_alg string; 10 cd_conf CDProto"},
    {"CDProto", "", "1 cd_k int32=1"},
    {"NetProto", "",
     "1* layer LayerProto; 20 partition_dim int32=0; 21* layer_group LayerGroupProto; "
     "22 unroll_len int32=1"},
    {"LayerGroupProto", "", "1* layer string"},
    {"UpdaterProto", "101-200",
     "1 type UpdaterType=kUserUpdater; 2 user_type string; 3 rmsprop_conf RMSPropProto; "
     "4 adadelta_conf AdaDeltaProto; 5 adam_conf AdamProto; 6 adammax_conf AdamMaxProto; "
     "11 learning_rate LRGenProto; 31 momentum float=0; 32 weight_decay float=0; "
     "35 delta float=1e-08; 36 clip_low float=0; 37 clip_high float=0"},
    {"ClusterProto", "",
     "1 nworker_groups int32=1; 2 nserver_groups int32=1; 3 nworkers_per_group int32=1; "
     "4 nservers_per_group int32=1; 5 nworkers_per_procs int32=1; 6 nservers_per_procs int32=1; "
     "10 workspace string; 20 server_worker_separate bool=false; 21 sync_freq int32=1; "
     "60 start_port int32=6723; 62 share_memory bool=true; 81 poll_time int32=100"},
    {"LayerProto", "1001-1100",
     "1R name string; 3* srclayers string; 12* param ParamProto; 14* include Phase; "
     "15* exclude Phase; 20 type LayerType=kUserLayer; 21 user_type string; "
     "22 share_src_blobs bool=false; 23 unroll_len int32=1; 24 unroll_index int32=0; "
     "25* unroll_conn_type UnrollConnType; 26* shift int32; 60 partition_dim int32=-1; "
     "90 partition_id int32=0; 91 num_partitions int32=1; 100 store_conf StoreProto; "
     "190 lmdbdata_conf DataProto; 192 mnist_conf MnistProto; 193 rgbimage_conf RGBImageProto; "
     "194 sharddata_conf DataProto; 195 char_rnn_conf CharRNNProto; 196 onehot_conf OnehotProto; "
     "200 activation_conf ActivationProto; 201 convolution_conf ConvolutionProto; "
     "203 dropout_conf DropoutProto; 204 dummy_conf DummyProto; "
     "205 innerproduct_conf InnerProductProto; 206 lrn_conf LRNProto; "
     "207 pooling_conf PoolingProto; 209 rbm_conf RBMProto; 211 relu_conf ReLUProto; "
     "214 softmax_conf SoftmaxProto; 215 gru_conf GRUProto; 216 embedding_conf EmbeddingProto; "
     "217 bm_conf BMProto; 301 softmaxloss_conf SoftmaxLossProto; 401 argsort_conf ArgSortProto; "
     "502 concate_conf ConcateProto; 503 slice_conf SliceProto; 504 split_conf SplitProto; "
     "505 rnn_dummy_conf RNNDummyProto"},
    {"ParamProto", "101-200",
     "1 name string=\"\"; 3 type ParamType=kParam; 4 user_type string; 5 init ParamGenProto; "
     "15 lr_scale float=1; 16 wd_scale float=1; 60 share_from string; 90 id int32; "
     "91 owner int32=-1; 92 partition_dim int32; 93* shape int32"},
    {"ParamGenProto", "101-200",
     "1 type InitMethod=kUserInit; 2 user_type string; 3 value float=1; 4 mean float=0; "
     "5 std float=1; 8 low float=-1; 9 high float=1"},
    {"LRGenProto", "101-200",
     "1 type ChangeMethod=kUserChange; 2 user_type string; 3 base_lr float=0.01; "
     "40 fixedstep_conf FixedStepProto; 41 step_conf StepProto; 42 linear_conf LinearProto; "
     "43 exponential_conf ExponentialProto; 44 inverse_conf InverseProto; "
     "45 inverset_conf InverseTProto"},
    {"FixedStepProto", "", "28* step int32; 29* step_lr float"},
    {"StepProto", "", "35R gamma float=1; 40R change_freq int32"},
    {"LinearProto", "", "40R change_freq int32; 39R final_lr float"},
    {"ExponentialProto", "", "40R change_freq int32"},
    {"InverseTProto", "", "39R final_lr float"},
    {"InverseProto", "", "1R gamma float=1; 2R pow float=0"},
    {"RMSPropProto", "", "1R rho float"},
    {"AdaDeltaProto", "", "1R rho float=0.9"},
    {"AdamProto", "", "1R beta1 float=0.9; 2R beta2 float=0.999"},
    {"AdamMaxProto", "", "1R beta1 float=0.9; 2R beta2 float=0.999"},
    {"StoreProto", "",
     "1 backend string; 2 path string; 3 separator string=\",\"; 4 mean_file string; "
     "5 std_file string; 6 mean_value float; 7 std_value float; 8* batchsize int32; "
     "9* shape int32; 10 encoded bool=false; 11 random_skip int32=0; 12 has_label bool=true; "
     "13 prefetching bool=false"},
    {"CharRNNProto", "",
     "1 path string; 2 vocab_path string; 3 unroll_len int32=50; 4 batchsize int32=1"},
    {"OnehotProto", "", "1 vocab_size int32=0"},
    {"EmbeddingProto", "", "1 vocab_size int32=0; 2 feature_dim int32=100"},
    {"RGBImageProto", "",
     "1 scale float=1; 2 cropsize int32=0; 3 mirror bool=false; 4 meanfile string=\"\""},
    {"ActivationProto", "", "1 type ActivationType=RELU"},
    {"ConvolutionProto", "",
     "1 num_filters int32; 2 kernel int32=3; 30 pad int32=0; 31 stride int32=1; "
     "41 kernel_x int32=3; 42 kernel_y int32=3; 44 pad_x int32=0; 45 pad_y int32=0; "
     "47 stride_x int32=1; 48 stride_y int32=1; 50 workspace_byte_limit int32=512"},
    {"PoolingProto", "",
     "1 kernel int32=3; 30 pool PoolMethod=MAX; 31 pad uint32=0; 32 stride uint32=2; "
     "41 kernel_x int32=3; 42 kernel_y int32=3; 44 pad_x int32=0; 45 pad_y int32=0; "
     "47 stride_x int32=2; 48 stride_y int32=2"},
    {"DropoutProto", "", "30 dropout_ratio float=0.5"},
    {"LRNProto", "",
     "1R local_size int32=5; 31 alpha float=1; 32 beta float=0.75; 34 knorm float=1"},
    {"InnerProductProto", "",
     "1R num_output int32; 30 bias_term bool=true; 31 transpose bool=false"},
    {"GRUProto", "", "1R dim_hidden int32; 2 bias_term bool=true"},
    {"RBMProto", "", "1R hdim int32; 2 bias_term bool=true; 3 gaussian bool=false"},
    {"ReLUProto", "", "1 negative_slope float=0"},
    {"SoftmaxProto", "", "1 num_softmax_per_instance int32=1"},
    {"SoftmaxLossProto", "", "1 topk int32=1; 30 scale float=1"},
    {"ArgSortProto", "", "1 topk int32=1"},
    {"BMProto", "", ""},
    {"DummyProto", "", "1 input bool=false; 2 output bool=false; 3* shape int32"},
    {"RNNDummyProto", "",
     "1 dynamic_srclayer string; 2* shape int32; 3 integer bool=false; 4 low float=0; "
     "5 high float=0"},
    {"ConcateProto", "", "1 concate_dim int32=0; 2 num_concates int32=1"},
    {"SliceProto", "", "1 slice_dim int32=0; 2 num_slices int32=1"},
    {"SplitProto", "", "1 num_splits int32=1"},
    {"DataProto", "", "2R path string; 4R batchsize int32; 30 random_skip int32=0"},
    {"MnistProto", "",
     "1R norm_a float=1; 2R norm_b float=0; 30 kernel int32=0; 31 sigma float=0; "
     "32 alpha float=0; 33 beta float=0; 34 gamma float=0; 35 resize int32=0; "
     "36 elastic_freq int32=0"},
    {"UniformProto", "", ""},
    {"GaussianProto", "", ""},
    // common.proto
    {"RecordProto", "", "1* shape int32; 2 label int32; 3 pixel bytes; 4* data float packed"},
    {"Record", "101-200", "1 type Type=kSingleLabelImage; 2 user_type string; 5 image RecordProto"},
    {"BlobProto", "", "1* shape int32; 2* data float packed"},
    {"BlobProtos", "", "2* id int32; 3* version int32; 4* name string; 5* blob BlobProto"},
    {"CaffeDatum", "",
     "1 channels int32; 2 height int32; 3 width int32; 4 data bytes; 5 label int32; "
     "6* float_data float; 7 encoded bool=false"},
    {"CaffeBlob", "",
     "1 num int32=0; 2 channels int32=0; 3 height int32=0; 4 width int32=0; "
     "5* data float packed; 6* diff float packed"},
    {"MetricProto", "", "1* name string; 2* count int32; 3* val float"},
    // singa.proto
    {"SingaProto", "",
     "1 zookeeper_host string=\"localhost:2181\"; 2 log_dir string=\"/tmp/singa-log/\""},
};

inline constexpr EnumSpec kEnums[] = {
    {"AlgType", "kBP=1 kCD=2 kBPTT=3 kUserAlg=104"},
    {"ActivationType", "RELU=1 SIGMOID=2 TANH=3 STANH=4"},
    {"PoolingProto.PoolMethod", "MAX=0 AVG=1"},
    {"LayerType",
     "kCSVInput=100 kImagePreprocess=101 kRecordInput=103 kCharRNN=195 kRNNLabel=196 kOneHot=197 "
     "kLMDBData=190 kLabel=191 kMnist=192 kRGBImage=193 kShardData=194 kConvolution=201 "
     "kCConvolution=202 kDropout=203 kDummy=204 kInnerProduct=205 kLRN=206 kPooling=207 "
     "kCPooling=208 kRBMHid=209 kRBMVis=210 kReLU=211 kSTanh=212 kSigmoid=213 kSoftmax=214 "
     "kGRU=215 kEmbedding=216 kActivation=217 kBM=218 kCudnnConv=250 kCudnnPool=251 "
     "kCudnnLRN=252 kCudnnSoftmax=253 kCudnnActivation=254 kCudnnBM=255 kEuclideanLoss=300 "
     "kSoftmaxLoss=301 kCudnnSoftmaxLoss=350 kAccuracy=400 kArgSort=401 kCSVOutput=402 "
     "kRecordOutput=403 kCharRNNOutput=404 kBridgeDst=500 kBridgeSrc=501 kConcate=502 kSlice=503 "
     "kSplit=504 kRNNDummy=505 kUserLayer=600"},
    {"UpdaterType",
     "kSGD=1 kAdaGrad=2 kRMSProp=3 kNesterov=4 kAdaDelta=5 kAdam=6 kAdamMax=7 kUserUpdater=105"},
    {"Phase",
     "kUnknown=0 kTrain=1 kVal=2 kTest=4 kPositive=8 kNegative=16 kForward=32 kBackward=64 "
     "kLoss=128 kDeploy=256 kAggGrad=512"},
    {"ParamType", "kParam=0 kUser=103"},
    {"ChangeMethod",
     "kFixed=0 kInverseT=1 kInverse=2 kExponential=3 kLinear=4 kStep=5 kFixedStep=6 "
     "kUserChange=100"},
    {"InitMethod",
     "kConstant=0 kGaussian=1 kUniform=2 kGaussianSqrtFanIn=4 kUniformSqrtFanIn=5 "
     "kUniformSqrtFanInOut=6 kUserInit=101"},
    {"UnrollConnType",
     "kUnrollOneToOne=1 kUnrollOneToAll=2 kUnrollFirstToLast=3 kUnrollCustomized=4"},
    {"Record.Type", "kSingleLabelImage=0"},
    {"MsgType",
     "kGet=0 kPut=1 kSync=2 kUpdate=3 kSyncRequest=4 kSyncResponse=5 kStop=6 kData=7 kRGet=8 "
     "kRUpdate=9 kConnect=10 kMetric=11"},
    {"EntityType", "kWorkerParam=0 kWorkerLayer=1 kServer=2 kStub=3 kRuntime=4"},
    {"ConnectionType", "kOneToOne=0 kOneToAll=1 kOneToMany=2"},
};

}  // namespace singa
