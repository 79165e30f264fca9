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
