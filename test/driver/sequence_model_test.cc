// Tests Model and Session of an unrolled net.
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "singa/driver/model.h"
#include "singa/proto/job.pb.h"
#include "support/expect_close.h"
#include "support/net_test.h"
#include "train/trainer/forwarder.h"

namespace singa {
namespace {

constexpr int64_t kUnrollLen = 4, kScoresOfAStep = 3;

class SequenceModel : public ::testing::Test {
 protected:
  SequenceModel() {
    std::string text = R"(name: "m" train_one_batch { alg: kBPTT } neuralnet { unroll_len: 4
      layer { name: "text" type: kCharRNN char_rnn_conf {
                path: "gone" vocab_path: "gone" unroll_len: 4 batchsize: 6 } }
      layer { name: "label" type: kRNNLabel srclayers: "text" }
      layer { name: "table" type: kEmbedding srclayers: "text" param { name: "t" }
              embedding_conf { vocab_size: 3 feature_dim: 2 } }
      layer { name: "gru" type: kGRU srclayers: "table" gru_conf { dim_hidden: 5 carry_state: true })";
    for (int i = 0; i < 9; ++i) text += StrCat(" param { name: \"g", i, "\" }");
    conf_ = dir_.Write("job.conf", text + R"( }
      layer { name: "fc" type: kInnerProduct srclayers: "gru" innerproduct_conf { num_output: 3 }
              param { name: "w" } param { name: "b" } }
      layer { name: "old" type: kCudnnSoftmax srclayers: "gru" }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "label" } })");
    WriteParams();
  }

  void WriteParams() {
    JobProto job;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(TempDir::Read(conf_), &job));
    Forwarder net(job, {});
    std::vector<Tensor> values;
    std::vector<StoredTensor> tensors;
    for (const auto& param : net.params().params()) {
      values.push_back(Tensor::Allocate(param->shape()));
      FillUniform(param->name(), &values.back());
      tensors.push_back(Stored(param->name(), param->shape(), values.back().data()));
    }
    WriteTensors(dir_.Path("params.safetensors"), tensors);
  }

  Model Opened(const std::vector<std::string>& sets = {}, const std::string& layer = "") const {
    return Model(conf_, {dir_.Path("params.safetensors"), layer, sets});
  }

  static std::vector<std::string> Steps(int64_t steps) {
    return {StrCat("neuralnet.unroll_len=", steps),
            StrCat("neuralnet.layer[text].char_rnn_conf.unroll_len=", steps)};
  }

  TempDir dir_;
  std::string conf_;
  const std::vector<float> ids_ = {0, 2, 1, 1, 2, 0, 0, 1, 2, 2, 1, 0};
};

TEST_F(SequenceModel, SaysWhatGoesInAndOut) {
  const Model model = Opened();
  EXPECT_EQ(model.input_layer(), "text");
  EXPECT_EQ(model.input_shape(), std::vector<int64_t>{kUnrollLen});
  EXPECT_EQ(model.output_shape(), (std::vector<int64_t>{kUnrollLen, kScoresOfAStep}));
  EXPECT_EQ(model.output_size(), kUnrollLen * kScoresOfAStep);
  EXPECT_EQ(model.input_steps(), kUnrollLen);
  EXPECT_EQ(model.output_steps(), kUnrollLen);
  EXPECT_EQ(model.batch(), 6);
  EXPECT_TRUE(model.classifies());
  EXPECT_TRUE(model.carries_state());
  EXPECT_FALSE(Opened({}, "table").carries_state());
  EXPECT_FALSE(Opened({}, "gru").classifies());
  EXPECT_TRUE(Opened({}, "old").classifies());
  const Model step = Opened(Steps(1));
  EXPECT_EQ(step.input_shape(), std::vector<int64_t>{1});
  EXPECT_EQ(step.output_shape(), std::vector<int64_t>{kScoresOfAStep});
}

TEST_F(SequenceModel, GoesThroughASequenceByWindowsOrStepByStep) {
  const std::vector<float> whole = Session(Opened(Steps(12))).Run(ids_);
  Session windows(Opened(), {.one_sequence = true});
  ExpectClose(windows.Run(ids_), whole, 2e-6);
  windows.Reset();
  const std::vector<float> first = windows.Run({ids_.data(), kUnrollLen});
  ExpectClose(first, {whole.begin(), whole.begin() + kUnrollLen * kScoresOfAStep}, 2e-6);
  Session steps(Opened(Steps(1)), {.one_sequence = true});
  std::vector<float> all;
  for (const float id : ids_) {
    const std::vector<float> next = steps.Run({&id, 1});
    all.insert(all.end(), next.begin(), next.end());
  }
  ExpectClose(all, whole, 2e-6);
}

TEST_F(SequenceModel, ForgetsBetweenRowsUnlessToldNotTo) {
  const Model model = Opened();
  Session session(model);
  const std::vector<float> rows = session.Run(ids_);
  for (size_t r = 0; r < 3; ++r) {
    const auto begin = rows.begin() + static_cast<int64_t>(r) * kUnrollLen * kScoresOfAStep;
    ExpectClose(session.Run({ids_.data() + r * kUnrollLen, kUnrollLen}),
                {begin, begin + kUnrollLen * kScoresOfAStep}, 2e-6);
  }
}

TEST_F(SequenceModel, RefusesManyRowsAtATimeOfOneSequence) {
  EXPECT_ERROR(Session(Opened(), {.max_batch = 2, .one_sequence = true}), kExitUsage,
               "max_batch must be 0 or 1");
  EXPECT_NO_THROW(Session(Opened(), {.max_batch = 1, .one_sequence = true}));
}

TEST_F(SequenceModel, NamesTheRowAndStepOfABadIndex) {
  std::vector<float> ids = ids_;
  ids[9] = 3;
  EXPECT_ERROR(Session(Opened()).Run(ids), kExitBadData,
               "given rows: record 2: step 1: ", "layer \"table\" allows 0 to 2");
  EXPECT_ERROR(Session(Opened()).Run({ids.data(), 5}), kExitUsage, "no whole number of rows of 4");
}

}  // namespace
}  // namespace singa
