// Tests each kind of warning about a setting without effect. The tables of fields are in
// driver/conf/idle_fields.h.
#include <gtest/gtest.h>

#include "support/driver/conf_findings.h"

namespace singa::check_effects {
namespace {

std::string Found(const std::string& job) {
  ConfFindings found;
  WarnWithoutEffect(JobOfText(job), &found);
  EXPECT_TRUE(found.errors.empty());
  return LinesOf(found.warnings);
}

// Returns the findings in a layer "a", without the path of the layer.
std::string FoundIn(const std::string& layer) {
  std::string found = Found("neuralnet { layer { name: 'a' " + layer + " } }");
  const std::string path = "neuralnet.layer[a].";
  for (size_t at; (at = found.find(path)) != std::string::npos;) found.erase(at, path.size());
  return found;
}

TEST(CheckEffects, AnIdleFieldMayHaveItsDefault) {
  EXPECT_EQ(Found("neuralnet { partition: kManual }"), "");
  EXPECT_EQ(Found("cluster { poll_time: 100 }"), "");
  EXPECT_EQ(Found("cluster { poll_time: 99 }"),
            "cluster.poll_time: has no effect; kept for old files\n");
}

TEST(CheckEffects, AnIdleFieldWithoutADefaultDrawsAWarningAnyway) {
  EXPECT_EQ(FoundIn("type: kDropout param { shape: 0 }"),
            "param[0].shape: is set by the system; a value here has no effect\n");
}

TEST(CheckEffects, AFieldIsForSomeTypes) {
  EXPECT_EQ(Found("updater { type: kNesterov momentum: 0.5 }"), "");
  EXPECT_EQ(Found("updater { type: kAdam momentum: 0.5 }"),
            "updater.momentum: has no effect with type: kAdam; it is for kSGD, kNesterov\n");
  EXPECT_EQ(FoundIn("type: kReLU dropout_conf {}"),
            "dropout_conf: has no effect with type: kReLU; it is for kDropout\n");
}

TEST(CheckEffects, AUsersClassMayReadAnyField) {
  EXPECT_EQ(Found("updater { user_type: 'mine' momentum: 0.5 }"), "");
  EXPECT_EQ(Found("updater { momentum: 0.5 }"), "");  // the type is kUserUpdater
  EXPECT_EQ(FoundIn("user_type: 'mine' dropout_conf {} store_conf { path: 'x' }"), "");
}

TEST(CheckEffects, OneOfTwoFieldsWins) {
  EXPECT_EQ(Found("updater { type: kSGD user_type: 'mine' }"),
            "updater.type: has no effect: user_type is set and takes precedence\n");
  EXPECT_EQ(Found("updater { type: kUserUpdater user_type: 'mine' }"), "");
  EXPECT_EQ(FoundIn("type: kConvolution convolution_conf { kernel: 3 kernel_x: 3 }"),
            "convolution_conf.kernel_x: has no effect: kernel is set and takes precedence\n");
  EXPECT_EQ(FoundIn("type: kRecordInput store_conf { mean_file: 'm' mean_value: 3 }"),
            "store_conf.mean_value: has no effect: mean_file is set and takes precedence\n");
  EXPECT_EQ(FoundIn("type: kRecordInput store_conf { mean_file: '' mean_value: 3 }"), "");
}

TEST(CheckEffects, ANumberMayNeedAnother) {
  EXPECT_EQ(Found("validate_steps: 3"), "validate_steps: has no effect without validate_freq\n");
  EXPECT_EQ(Found("validate_steps: 0"), "");
  EXPECT_EQ(Found("validate_steps: 3 validate_freq: 1"), "");
  EXPECT_EQ(Found("test_after: 3"), "test_after: has no effect without test_freq\n");
  EXPECT_EQ(Found("test_after: 3 test_epochs: 1"), "");
}

TEST(CheckEffects, AFieldMayHaveASwitch) {
  const auto found = [](const std::string& settings) {
    return Found("cluster { all_reduce { compression: kTopK " + settings + " } }");
  };
  EXPECT_EQ(found("local_clipping: true"), "");
  EXPECT_EQ(found("local_clipping: true error_feedback: false"),
            "cluster.all_reduce.local_clipping: has no effect with error_feedback: false\n");
  EXPECT_EQ(found("factor_masking: false momentum_correction: false"),
            "cluster.all_reduce.factor_masking: has no effect with momentum_correction: false\n");
}

TEST(CheckEffects, SparseGradientsMayLackWhatASettingChanges) {
  const auto found = [](const std::string& settings, const std::string& updater) {
    return Found(StrCat("updater { ", updater, " } cluster { all_reduce { compression: kTopK ",
                        settings, " } }"));
  };
  EXPECT_EQ(found("local_clipping: false", "type: kSGD"),
            "cluster.all_reduce.local_clipping: has no effect without updater.clip_norm\n");
  EXPECT_EQ(found("local_clipping: false", "type: kSGD clip_norm: 1"), "");
}

TEST(CheckEffects, AWarmUpFromAQuarterNeedsASmallerShare) {
  const auto found = [](const std::string& settings) {
    return Found("cluster { all_reduce { compression: kTopK warmup_steps: 8 " + settings + " } }");
  };
  EXPECT_EQ(found("sparsity: 0.2"), "");
  EXPECT_EQ(found("sparsity: 0.25"),
            "cluster.all_reduce.warmup_steps: has no effect: the share falls from 0.25 to "
            "sparsity, which is 0.25\n");
}

TEST(CheckEffects, PrecisionIsForGpus) {
  EXPECT_EQ(Found("precision: kTF32"),
            "precision: has no effect without gpu: the CPU computes in float32\n");
  EXPECT_EQ(Found("precision: kTF32 gpu: 0"), "");
}

TEST(CheckEffects, AStoreHasSettingsOfItsKind) {
  const auto found = [](const std::string& store) {
    return FoundIn("type: kRecordInput store_conf { " + store + " }");
  };
  EXPECT_EQ(found("max_bad_records: 3"),
            "store_conf.max_bad_records: has no effect without on_bad_record: kSkip\n");
  EXPECT_EQ(found("max_bad_records: 3 on_bad_record: kSkip"), "");
  EXPECT_EQ(found("backend: 'kvfile' label_path: 'x'"),
            "store_conf.label_path: has no effect: only backend \"idx\" has labels in a file of "
            "their own\n");
  EXPECT_EQ(found("backend: 'idx' label_path: 'x' synthetic_conf {}"),
            "store_conf.synthetic_conf: has no effect: it is for backend \"synthetic\"\n");
  EXPECT_EQ(found("backend: 'synthetic' path: 'x' encoded: true synthetic_conf {}"),
            "store_conf.path: has no effect: backend \"synthetic\" has no file\n"
            "store_conf.encoded: has no effect with backend \"synthetic\"\n");
}

TEST(CheckEffects, AnOutputLayerReadsNothing) {
  EXPECT_EQ(FoundIn("type: kRecordOutput store_conf { backend: 'kvfile' path: 'x' shuffle: true }"),
            "store_conf.shuffle: has no effect: the layer writes a store\n");
}

// The layer's warning comes before the store's own.
TEST(CheckEffects, AFieldIsWarnedOfOnce) {
  EXPECT_EQ(FoundIn("type: kRecordOutput store_conf { max_bad_records: 3 }"),
            "store_conf.max_bad_records: has no effect: the layer writes a store\n");
}

TEST(CheckEffects, AFirstValueTakesThePlaceOfRandomOnes) {
  const std::string random = "low: 1 high: 2 ";
  EXPECT_EQ(FoundIn("type: kRNNDummy rnn_dummy_conf { dynamic_srclayer: 'b' " + random + "}"), "");
  EXPECT_EQ(
      FoundIn("type: kRNNDummy rnn_dummy_conf { dynamic_srclayer: 'b' prime: 'x' " + random + "}"),
      "rnn_dummy_conf.low: has no effect: prime gives the first values\n"
      "rnn_dummy_conf.high: has no effect: prime gives the first values\n");
  EXPECT_EQ(FoundIn("type: kRNNDummy rnn_dummy_conf { vocab_path: 'x' }"),
            "rnn_dummy_conf.vocab_path: has no effect without prime\n");
}

TEST(CheckEffects, AWindowIsForLayersThatKeepItsSteps) {
  const std::string dummy =
      "neuralnet { layer { name: 'a' type: kRNNDummy rnn_dummy_conf { window: 8 } } ";
  EXPECT_EQ(Found(dummy + "}"),
            "neuralnet.layer[a].rnn_dummy_conf.window: has no effect: the net has no kAttention "
            "and no kPositionEmbedding\n");
  for (const char* layer : {"type: kAttention", "type: kPositionEmbedding", "user_type: 'Mine'"})
    EXPECT_EQ(Found(StrCat(dummy, "layer { name: 'b' ", layer, " } }")), "") << layer;
}

TEST(CheckEffects, ACropWithBothSidesHasNoOtherSize) {
  const auto found = [](const std::string& crop) {
    return FoundIn("type: kImagePreprocess rgbimage_conf { " + crop + " }");
  };
  EXPECT_EQ(found("cropsize: 4 crop_height: 3 crop_width: 2"),
            "rgbimage_conf.cropsize: has no effect: crop_height and crop_width are set and take "
            "precedence\n");
  EXPECT_EQ(found("cropsize: 4 crop_height: 3"), "");
  EXPECT_EQ(found("cropsize: 4 crop_width: 3"), "");
}

TEST(CheckEffects, AWindowOfTheWholeImageHasNoSizeToRound) {
  const auto found = [](const std::string& pooling) {
    return FoundIn("type: kPooling pooling_conf { " + pooling + " }");
  };
  EXPECT_EQ(found("global_pooling: true ceil_mode: true"),
            "pooling_conf.ceil_mode: has no effect with global_pooling: true: the window is the "
            "whole image\n");
  EXPECT_EQ(found("global_pooling: false ceil_mode: true"), "");
  EXPECT_EQ(found("global_pooling: true ceil_mode: false"), "");
}

TEST(CheckEffects, AFixedRateHasNoUnit) {
  const auto found = [](const std::string& rate) {
    return Found("updater { learning_rate { " + rate + " } }");
  };
  EXPECT_EQ(found("type: kFixed unit: kEpochs"),
            "updater.learning_rate.unit: has no effect with type: kFixed without warmup_steps\n");
  EXPECT_EQ(found("type: kFixed unit: kEpochs warmup_steps: 2"), "");
  EXPECT_EQ(found("type: kFixed unit: kSteps"), "");
  EXPECT_EQ(found("type: kCosine unit: kEpochs"), "");
}

TEST(CheckEffects, ASettingMayBeIdleWithOneOfItsTypes) {
  EXPECT_EQ(FoundIn("type: kCharRNNOutput char_rnn_conf { vocab_path: 'x' unroll_len: 1 }"),
            "char_rnn_conf.unroll_len: has no effect: the layer reads no text\n");
  EXPECT_EQ(FoundIn("type: kCharRNN char_rnn_conf { vocab_path: 'x' unroll_len: 1 }"), "");
  EXPECT_EQ(FoundIn("type: kRBMHid rbm_conf { persistent: false }"), "");
  EXPECT_EQ(FoundIn("type: kRBMHid rbm_conf { persistent: true }"),
            "rbm_conf.persistent: has no effect: it is for the kRBMVis\n");
}

}  // namespace
}  // namespace singa::check_effects
