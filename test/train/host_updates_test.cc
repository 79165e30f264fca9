// Tests the reasons that a worker on a device gives if the host makes its updates. The device is
// emulated.
#include <gtest/gtest.h>

#include "singa/base/error.h"
#include "support/device_training.h"
#include "support/proof_layers.h"

namespace singa::device_trainer {
namespace host_updates {

class UpdaterOfTheHost final : public Updater {
 public:
  void Update(Context&, const UpdateStep&, float*, const float*, std::span<float* const>,
              int64_t) override {}
};
SINGA_REGISTER_UPDATER(UpdaterOfTheHost, UpdaterOfTheHost);

class AlgorithmOfItsOwn final : public Algorithm {
 public:
  bool forward_backward() const override { return true; }
  void TrainOneBatch(Context&, Net&, ParamExchange&) override {}
};
SINGA_REGISTER_ALGORITHM(AlgorithmOfItsOwn, AlgorithmOfItsOwn);

// Looks reads a feature and gives none.
class Looks final : public Layer {
 public:
  Wiring wiring(const LayerProto&) const override { return {.differentiable = false}; }
  void Setup(const LayerProto&, Declare& declare, Inputs in, Outputs out) override {
    declare.Sources(in, 1);
    out[0]->data.SetShape({1});
  }
  void ComputeFeature(Context&, Phase, Inputs, Outputs) override {}
};
SINGA_REGISTER_LAYER(HostUpdatesLooks, Looks);
SINGA_REGISTER_LAYER(HostUpdatesTwo, TestTwo);
SINGA_REGISTER_LAYER(HostUpdatesLoss, TestLoss);

class HostUpdates : public DeviceTrainer {
 protected:
  static std::string Why(JobProto job) {
    job.add_gpu(0);
    return Trainer(job, 1).why_host_updates();
  }
  // Returns a job with `layers` behind an inner product.
  static JobProto With(const std::string& layers) {
    return Job(StrCat(kData, "layer { name: 'fc' type: kInnerProduct srclayers: 'data' ",
                      Params("fc"), "innerproduct_conf { num_output: 4 } }", layers));
  }
  static constexpr char kLoss[] =
      "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: 'data' }";
};

TEST_F(HostUpdates, AreNotWhereAllIsOnTheDevice) {
  EXPECT_EQ(Why(With(kLoss)), "");
  EXPECT_EQ(Why(Job(Convnet(""))), "");
}

TEST_F(HostUpdates, AreThoseOfAWorkerWithoutAGpu) {
  EXPECT_EQ(Trainer(With(kLoss), 1).why_host_updates(), "a worker has no GPU");
}

TEST_F(HostUpdates, NameTheUpdater) {
  JobProto job = With(kLoss);
  job.mutable_updater()->clear_type();
  job.mutable_updater()->set_user_type("UpdaterOfTheHost");
  EXPECT_EQ(Why(job), "updater \"UpdaterOfTheHost\" has code for the host alone");
}

TEST_F(HostUpdates, NameTheAlgorithm) {
  JobProto job = With(kLoss);
  job.mutable_train_one_batch()->set_user_alg("AlgorithmOfItsOwn");
  EXPECT_EQ(Why(job),
            "algorithm \"AlgorithmOfItsOwn\" does not say that its steps are alike "
            "(Algorithm::captured_pass)");
}

TEST_F(HostUpdates, NameTheLayerThatHasGradients) {
  EXPECT_EQ(Why(With("layer { name: 'mine' user_type: 'HostUpdatesTwo' srclayers: 'fc' }"
                     "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'mine:0' "
                     "        srclayers: 'data' }")),
            "layer \"mine\" runs on the host, and does more than read records");
}

TEST_F(HostUpdates, NameTheLayerThatHasMetrics) {
  EXPECT_EQ(Why(With(StrCat(kLoss,
                            "layer { name: 'mine' user_type: 'HostUpdatesLoss' "
                            "        srclayers: 'data' }"))),
            "layer \"mine\" runs on the host, and does more than read records");
}

// The layer reads the feature through a split.
TEST_F(HostUpdates, NameTheLayerThatReadsWhatTheDeviceMakes) {
  EXPECT_EQ(Why(With(StrCat(kLoss,
                            "layer { name: 'mine' user_type: 'HostUpdatesLooks' "
                            "        srclayers: 'fc' }"))),
            "layer \"mine\" runs on the host, and does more than read records");
}

TEST_F(HostUpdates, SayThatTheHostChecksIndicesOfTheDevice) {
  EXPECT_EQ(Why(Job(StrCat(R"(layer { name: "data" type: kRecordInput store_conf {
              backend: "synthetic" batchsize: 6 shape: 1 synthetic_conf { records: 40 classes: 4 } } }
      layer { name: "relu" type: kReLU srclayers: "data" }
      layer { name: "embedding" type: kEmbedding srclayers: "relu"
              param { name: "e" init { type: kConstant } }
              embedding_conf { vocab_size: 256 feature_dim: 2 } }
      layer { name: "fc" type: kInnerProduct srclayers: "embedding" )",
                           Params("fc"), "innerproduct_conf { num_output: 4 } }", kLoss))),
            "the host checks labels or indices that a layer on the GPU makes");
}

// Float16 needs updates on the device.
TEST_F(HostUpdates, AreAnErrorInFloat16ThatSaysWhy) {
  JobProto job = With(kLoss);
  job.mutable_train_one_batch()->set_user_alg("AlgorithmOfItsOwn");
  job.set_precision(JobProto::kFloat16);
  try {
    Why(job);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "precision");
    EXPECT_STREQ(error.what(),
                 "precision: must not be kFloat16, which scales gradients, so that updates have to "
                 "be the GPUs'; here they are the host's: algorithm \"AlgorithmOfItsOwn\" does not "
                 "say that its steps are alike (Algorithm::captured_pass) (kBFloat16 needs no "
                 "scale)");
  }
}

}  // namespace host_updates
}  // namespace singa::device_trainer
