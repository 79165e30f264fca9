// Tests nets that compute a sequence step by step: their features are those of the whole sequence.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "support/expect_close.h"
#include "support/net_test.h"
#include "train/trainer/forwarder.h"

namespace singa::step_by_step {
namespace {

constexpr int64_t kSteps = 6, kCharacters = 5;

void FillParams(const ParamTable& params) {
  for (const auto& param : params.params()) {
    param->data = Tensor::Allocate(param->shape());
    FillUniform(param->name(), &param->data);
  }
}

class StepByStepTest : public ::testing::Test {
 protected:
  // Computes with params that depend on their names alone.
  struct Used {
    Forwarder values, net;

    Used(const JobProto& job, const ForwardOptions& options)
        : values(job, {.layer = options.layer}), net(job, options) {
      FillParams(values.params());
      net.Open(values.params());
    }
    std::vector<float> Run(const std::vector<float>& rows) {
      const auto n = static_cast<int64_t>(rows.size()) / net.input_row().size;
      std::vector<float> out(n * net.output_row().size);
      net.Run(rows.data(), n, out.data());
      return out;
    }
  };

  static ForwardOptions Steps(const std::string& layer = "") {
    return {.layer = layer, .one_sequence = true, .step_by_step = true};
  }

  // Returns a net of characters with two layers of attention and one of gated units.
  JobProto Job(const std::string& more = "", const std::string& attention = "") {
    const std::string net = StrCat("layer { name: 'text' type: kCharRNN char_rnn_conf { path: '",
                                   dir_.Write("text", std::string(90, 'a')), "' vocab_path: '",
                                   dir_.Write("vocabulary", "dcb\na"), "' unroll_len: ", kSteps,
                                   R"( batchsize: 3 } }
        layer { name: 'label' type: kRNNLabel srclayers: 'text' }
        layer { name: 'token' type: kEmbedding srclayers: 'text'
                embedding_conf { vocab_size: 5 feature_dim: 8 } }
        layer { name: 'x0' type: kPositionEmbedding srclayers: 'token'
                position_embedding_conf { max_steps: 10 } }
        layer { name: 'norm' type: kLayerNorm srclayers: 'x0' }
        layer { name: 'mix' type: kAttention srclayers: 'norm'
                attention_conf { num_heads: 2 )",
                                   attention, R"(} }
        layer { name: 'x1' type: kEltwise srclayers: 'mix' srclayers: 'x0' }
        layer { name: 'gru' type: kGRU srclayers: 'x1' gru_conf { dim_hidden: 8 } }
        layer { name: 'again' type: kAttention srclayers: 'gru' attention_conf { num_heads: 1 } }
        layer { name: 'fc' type: kInnerProduct srclayers: 'again'
                innerproduct_conf { num_output: 5 } }
        layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: 'label' } )",
                                   more);
    JobProto job;
    const std::string text =
        StrCat("train_one_batch { alg: kBPTT } neuralnet { unroll_len: ", kSteps, " ", net, " }");
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job)) << text;
    return job;
  }

  // Returns the features of characters [begin, end) of the text, at most kSteps, computed at once.
  std::vector<float> Whole(const std::string& layer, int64_t begin, int64_t end) {
    Used used(Job(), {.layer = layer});
    std::vector<float> row(text_.begin() + begin, text_.begin() + end);
    row.resize(kSteps);  // later steps change no earlier ones
    std::vector<float> out = used.Run(row);
    out.resize((end - begin) * used.net.output_row().size / kSteps);
    return out;
  }

  const std::vector<float> text_ = {0, 3, 1, 1, 4, 2, 0, 0, 4, 3, 2, 1, 4, 4, 0, 2};
  TempDir dir_;
};

TEST_F(StepByStepTest, FeaturesAreThoseOfTheWholeSequence) {
  for (const char* layer : {"x0", "mix", "gru", "again", "fc", ""}) {
    SCOPED_TRACE(layer);
    Used steps(Job(), Steps(layer));
    EXPECT_EQ(steps.net.input_row().size, 1);
    EXPECT_EQ(steps.net.output_row().steps, 1);
    const std::vector<float> text(text_.begin(), text_.begin() + kSteps);
    const std::vector<float> want = Whole(layer, 0, kSteps);
    ExpectClose(steps.Run(text), want, 1e-5);
    steps.net.Reset();
    std::vector<float> apart;
    for (const float character : text) {
      const std::vector<float> one = steps.Run({character});
      apart.insert(apart.end(), one.begin(), one.end());
    }
    ExpectClose(apart, want, 1e-5);
  }
}

// The net begins anew after 6 characters, and then after every 3.
TEST_F(StepByStepTest, AfterAllStepsItBeginsAnewWithTheLastHalf) {
  Used steps(Job(), Steps());
  const std::vector<float> out = steps.Run(text_);
  const auto size = static_cast<int64_t>(text_.size());
  for (int64_t i = kSteps; i < size; ++i) {
    SCOPED_TRACE(i);
    const int64_t begin = (i - kSteps) / 3 * 3 + 3;
    const std::vector<float> want = Whole("", begin, i + 1);
    ExpectClose({out.begin() + i * kCharacters, out.begin() + (i + 1) * kCharacters},
                {want.end() - kCharacters, want.end()}, 1e-5);
  }
}

TEST_F(StepByStepTest, ABadStepIsAsIfItWereNotGiven) {
  Used steps(Job(), Steps());
  for (int64_t i = 0; i < kSteps; ++i) {
    EXPECT_THROW(steps.Run({5}), RowError);
    const std::vector<float> want = Whole("", 0, i + 1);
    ExpectClose(steps.Run({text_[i]}), {want.end() - kCharacters, want.end()}, 1e-5);
  }
}

TEST_F(StepByStepTest, LayersThatNeedOtherStepsAreErrors) {
  const JobProto last =
      Job("layer { name: 'last' type: kReLU srclayers: 'fc' unroll_len: 1 "
          "unroll_conn_type: kUnrollFirstToLast }");
  EXPECT_ERROR(Forwarder(last, Steps("last")), kExitConfig,
               "neuralnet.layer[last].unroll_conn_type: time steps are computed one by one, and "
               "the layer reads all steps, or the last one, of layer \"fc\"");
  EXPECT_ERROR(Forwarder(Job("", "causal: false"), Steps()), kExitConfig,
               "neuralnet.layer[mix].attention_conf.causal: must read no later time steps");
  const JobProto shifted = Job("layer { name: 'before' type: kReLU srclayers: 'fc' shift: 1 }");
  EXPECT_ERROR(Forwarder(shifted, Steps("before")), kExitConfig,
               "neuralnet.layer[before].shift: time steps are computed one by one");
}

TEST_F(StepByStepTest, RecordsOfAllStepsAreAnError) {
  JobProto job;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "train_one_batch { alg: kBP } neuralnet { layer { name: 'data' type: kCSVInput store_conf { "
      "path: 'x' batchsize: 7 shape: 3 } } layer { name: 'relu' type: kReLU srclayers: 'data' } }",
      &job));
  EXPECT_ERROR(Forwarder(job, Steps()), kExitUsage, "the input layer gives whole records");
}

}  // namespace
}  // namespace singa::step_by_step
