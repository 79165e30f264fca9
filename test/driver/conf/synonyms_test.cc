#include "driver/conf/synonyms.h"

#include <gtest/gtest.h>

#include "base/text/edit_distance.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

std::string TypeFor(const std::string& name) { return SynonymOf(*LayerType_descriptor(), name); }

TEST(Synonyms, CaseAndPartsOfTheNameDoNotMatter) {
  for (const char* name : {"Linear", "kLinear", "LinearLayer", "linear", "nn.Linear"})
    EXPECT_EQ(TypeFor(name), std::string(name) == "nn.Linear" ? "" : "kInnerProduct") << name;
  EXPECT_EQ(TypeFor("BATCH_NORM"), "kBM");
}

TEST(Synonyms, NothingIsMadeUp) {
  for (const char* name : {"", "k", "Foo", "layer", "Line"}) EXPECT_EQ(TypeFor(name), "") << name;
}

TEST(Synonyms, AFieldMayBeInAnotherMessage) {
  EXPECT_EQ(SynonymOf(*JobProto::descriptor(), "base_lr"), "updater.learning_rate.base_lr");
  EXPECT_EQ(SynonymOf(*JobProto::descriptor(), "no_such"), "");
  EXPECT_EQ(SynonymOf(*LayerProto::descriptor(), "backend"), "store_conf.backend");
}

// These are words of PyTorch, torchrun, Horovod and papers.
TEST(Synonyms, WordsOfDistributedTrainingAreKnown) {
  const auto of_cluster = [](const char* name) {
    return SynonymOf(*ClusterProto::descriptor(), name);
  };
  EXPECT_EQ(of_cluster("world_size"), "nworkers_per_group");
  EXPECT_EQ(of_cluster("nworkers"), "nworkers_per_group");
  EXPECT_EQ(of_cluster("nprocs"), "nworkers_per_group");
  EXPECT_EQ(of_cluster("MASTER_ADDR"), "coordinator");
  for (const char* name : {"ratio", "density", "topk"})
    EXPECT_EQ(SynonymOf(*AllReduceProto::descriptor(), name), "sparsity") << name;
  EXPECT_EQ(SynonymOf(*AllReduceProto::Backend_descriptor(), "gloo"), "kAnyBackend");
  EXPECT_EQ(SynonymOf(*ClusterProto::GroupSync_descriptor(), "DiLoCo"), "kOuter");
}

// These are words of PyTorch and Caffe.
TEST(Synonyms, WordsOfRulesAndSchedulesAreKnown) {
  EXPECT_EQ(SynonymOf(*UpdaterType_descriptor(), "AdamW"), "kAdamW");
  EXPECT_EQ(SynonymOf(*ChangeMethod_descriptor(), "CosineAnnealingLR"), "kCosine");
  EXPECT_EQ(SynonymOf(*ChangeMethod_descriptor(), "poly"), "kPolynomial");
  EXPECT_EQ(SynonymOf(*LRGenProto::descriptor(), "T_max"), "cosine_conf.change_freq");
  EXPECT_EQ(SynonymOf(*LRGenProto::descriptor(), "eta_min"), "cosine_conf.final_lr");
  EXPECT_EQ(SynonymOf(*LRGenProto::descriptor(), "total_iters"), "polynomial_conf.change_freq");
  EXPECT_EQ(SynonymOf(*CosineProto::descriptor(), "T_max"), "change_freq");
  EXPECT_EQ(SynonymOf(*PolynomialProto::descriptor(), "max_iter"), "change_freq");
}

TEST(Synonyms, AWordWithoutAFieldOfItsOwnGetsAdvice) {
  for (const char* name : {"diloco", "outer_optimizer"})
    EXPECT_EQ(InsteadOf(*ClusterProto::descriptor(), name),
              "set group_sync: kOuter, nworker_groups and nserver_groups to the number of groups, "
              "and sync_freq to the local steps");
  EXPECT_EQ(InsteadOf(*AllReduceProto::descriptor(), "bucket_cap_mb"),
            "set fusion_elements, a number of floats: 1 MB has 262144");
  EXPECT_EQ(InsteadOf(*JobProto::descriptor(), "batch_size"),
            "set batchsize in the store_conf of the input layer");
}

// These are words of nanoGPT, of transformers and of PyTorch.
TEST(Synonyms, WordsOfTransformersAreKnown) {
  const auto* attention = AttentionProto::descriptor();
  for (const char* name : {"n_head", "heads", "num_attention_heads"})
    EXPECT_EQ(SynonymOf(*attention, name), "num_heads") << name;
  EXPECT_EQ(SynonymOf(*attention, "dropout"), "dropout_ratio");
  for (const char* name : {"n_embd", "embed_dim", "d_model", "hidden_size"}) {
    EXPECT_EQ(SynonymOf(*EmbeddingProto::descriptor(), name), "feature_dim") << name;
    EXPECT_EQ(InsteadOf(*attention, name), "leave it out: the source layer gives this size");
    EXPECT_NE(InsteadOf(*JobProto::descriptor(), name), "") << name;
  }
  for (const char* name : {"block_size", "context_length"}) {
    EXPECT_EQ(SynonymOf(*NetProto::descriptor(), name), "unroll_len") << name;
    EXPECT_EQ(SynonymOf(*PositionEmbeddingProto::descriptor(), name), "max_steps") << name;
  }
  EXPECT_EQ(SynonymOf(*LayerNormProto::descriptor(), "eps"), "epsilon");
  EXPECT_EQ(SynonymOf(*BMProto::descriptor(), "eps"), "epsilon");
  EXPECT_EQ(SynonymOf(*SoftmaxLossProto::descriptor(), "weight"), "class_weight");
  EXPECT_EQ(SynonymOf(*SoftmaxLossProto::descriptor(), "ignore_index"), "ignore_label");
}

TEST(Synonyms, WordsOfTrainingLoopsAreKnown) {
  const auto of_job = [](const char* name) { return SynonymOf(*JobProto::descriptor(), name); };
  EXPECT_EQ(of_job("num_epochs"), "train_epochs");
  for (const char* name : {"gradient_accumulation_steps", "backward_passes_per_step"})
    EXPECT_EQ(of_job(name), "accumulate_steps") << name;
  EXPECT_EQ(SynonymOf(*CosineProto::descriptor(), "total_iters"), "change_freq");
  EXPECT_EQ(SynonymOf(*CosineProto::descriptor(), "eta_min"), "final_lr");
  EXPECT_EQ(InsteadOf(*AdamProto::descriptor(), "eps"),
            "the updater has it as delta, outside of these braces");
  for (const auto* type : {ClusterProto::descriptor(), JobProto::descriptor()})
    EXPECT_EQ(InsteadOf(*type, "bucket_cap_mb"),
              "set all_reduce { fusion_elements }, a number of floats: 1 MB has 262144");
}

// Caffe's "poly" has a power, and its "inv", too.
TEST(Synonyms, PowerIsThatOfItsType) {
  for (const auto* type : {LRGenProto::descriptor(), JobProto::descriptor()})
    EXPECT_EQ(InsteadOf(*type, "power"),
              "type kPolynomial has polynomial_conf { power }, type kInverse has "
              "inverse_conf { pow }");
}

// Caffe's scale multiplies, while std_value divides. kActivation has no ELU.
TEST(Synonyms, WhatComputesSomethingElseIsNone) {
  EXPECT_EQ(SynonymOf(*StoreProto::descriptor(), "scale"), "");
  for (const char* name : {"ELU", "PReLU"}) EXPECT_EQ(TypeFor(name), "") << name;
}

TEST(DidYouMean, AnEndingThatFieldsShareIsNoLikeness) {
  const std::vector<std::string> known = {"slice_conf", "split_conf", "dropout_conf"};
  EXPECT_EQ(DidYouMean("eltwise_conf", known), "");
  EXPECT_EQ(DidYouMean("slcie_conf", known), "; did you mean \"slice_conf\"?");
}

}  // namespace
}  // namespace singa
