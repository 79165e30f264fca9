// Pins the schema: users' job.conf files and data files depend on every name, number and default.
// If a test fails here, the test is right and the .proto is wrong.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "schema_v03.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;

// These fields are newer than SINGA 0.3.
const MessageSpec kAdded[] = {
    {"JobProto", "101-200",
     "301 seed uint64=0; 302 train_epochs int32=0; 303 test_epochs int32=0; "
     "304 checkpoint_keep int32=0; 305 checkpoint_best string=\"\"; "
     "306 on_nonfinite NonFinitePolicy=kAbort; 307 plain_kernels bool=false; "
     "309 precision Precision=kTF32; 310 accumulate_steps int32=1; "
     "311 ema_decay float=0; 312 stop_patience int32=0; 313 tensorboard bool=false; "
     "314 tensorboard_histogram_freq int32=0"},
    {"NetProto", "",
     "301 partition Partition=kManual; 302* repeat RepeatProto; 303* param_scale ParamScaleProto"},
    {"RepeatProto", "",
     "1R times int32; 2* layer LayerProto; 3 index string=\"i\"; 4 first int32=1"},
    {"ParamScaleProto", "", "1R names string; 2 lr_scale float=1; 3 wd_scale float=1"},
    {"UpdaterProto", "101-200", "301 clip_norm float=0"},
    {"ClusterProto", "",
     "301 all_reduce AllReduceProto; 302 max_staleness int32=0; 303 user_consistency string; "
     "304 group_sync GroupSync=kMaster; 305 elastic_alpha float=0.5; 306 coordinator string; "
     "307 bind string; 308 start_timeout int32=60; 309 peer_timeout int32=60; "
     "310 max_restarts int32=3; 311 insecure bool=false; 312 stall_timeout int32=600; "
     "313 link_gbit float=10; 314 outer_lr float=0.7; 315 outer_momentum float=0.9; "
     "316 outer_compression OuterCompression=kNone; 317 outer_fragments int32=1; "
     "318 outer_overlap int32=0; 319 outer_mixing float=0.5"},
    {"AllReduceProto", "",
     "1 compression Compression=kNone; 2 sparsity float=0.05; 3 threshold float=0.05; "
     "4 clip float=0; 5 error_feedback bool=true; 6 fusion_elements int32=2097152; "
     "7 momentum_correction bool=true; 8 factor_masking bool=true; 9 warmup_steps int32=0; "
     "10 rank int32=2; 11 backend Backend=kAnyBackend; 12 local_clipping bool=true"},
    {"StoreProto", "",
     "301 shuffle bool=false; 302 label_path string; "
     "303 on_bad_record BadRecordPolicy=kFail; 304 max_bad_records int32=100; "
     "305 decode_threads int32=1; 308 num_targets int32=0; 309* channel_mean float; "
     "310* channel_std float; 311 header bool=false; 312 label_column string; "
     "313 short_side int32=0; 314 root_folder string; 315* class_names string"},
    {"RGBImageProto", "",
     "301 pad int32=0; 302 crop_height int32=0; 303 crop_width int32=0; 304 area_min float=0; "
     "305 area_max float=1; 306 aspect_max float=1.33333337; 307 brightness float=0; "
     "308 contrast float=0; 309 saturation float=0; 310 hue float=0"},
    {"RecordProto", "", "301* target float packed"},
    {"LayerProto", "1001-1100",
     "220 eltwise_conf EltwiseProto; 221 layer_norm_conf LayerNormProto; "
     "222 attention_conf AttentionProto; 223 position_embedding_conf PositionEmbeddingProto; "
     "302 sigmoid_cross_entropy_conf SigmoidCrossEntropyProto; 303 loss_weight float=1; "
     "304 euclidean_loss_conf EuclideanLossProto; 601 carried_steps int32=0"},
    {"RNNDummyProto", "", "303 window int32"},
    {"EltwiseProto", "", "1 operation Operation=SUM; 2* coeff float"},
    {"LayerNormProto", "", "1 epsilon float=1e-05"},
    {"AttentionProto", "",
     "1 num_heads int32=1; 2 causal bool=true; 3 dropout_ratio float=0; 4 bias_term bool=true"},
    {"PositionEmbeddingProto", "", "1 max_steps int32=0"},
    {"ConvolutionProto", "",
     "301 dilation int32=1; 302 dilation_x int32=1; 303 dilation_y int32=1; 304 group int32=1; "
     "305 bias_term bool=true"},
    {"PoolingProto", "", "301 global_pooling bool=false; 302 ceil_mode bool=false"},
    {"BMProto", "", "301 momentum float=0.9; 302 epsilon float=1e-05"},
    {"SoftmaxLossProto", "", "304* class_weight float; 305 per_class bool=false"},
    {"EuclideanLossProto", "", "1 r2 bool=false"},
    {"ArgSortProto", "", "302 per_class bool=false"},
    {"SigmoidCrossEntropyProto", "", "1* pos_weight float"},
    {"LRGenProto", "101-200",
     "302 cosine_conf CosineProto; 303 polynomial_conf PolynomialProto; "
     "304 unit Unit=kSteps"},
    {"CosineProto", "", "1R change_freq int32; 2 final_lr float=0"},
    {"PolynomialProto", "", "1R change_freq int32; 2 power float=1; 3 final_lr float=0"},
};
const EnumSpec kAddedEnums[] = {
    {"JobProto.NonFinitePolicy", "kAbort=0 kSkip=1"},
    {"LRGenProto.Unit", "kSteps=0 kEpochs=1"},
    {"NetProto.Partition", "kManual=0 kAuto=1"},
    {"ClusterProto.GroupSync", "kMaster=0 kRing=1 kElastic=2 kOuter=3"},
    {"ClusterProto.OuterCompression", "kNone=0 kFp16=1 kInt8=2"},
    {"AllReduceProto.Compression", "kNone=0 kFp16=1 kPartial=2 kTopK=3 kThreshold=4 kPowerSGD=5"},
    {"AllReduceProto.Backend", "kAnyBackend=0 kMemory=1 kMpi=2 kNccl=3 kServers=4"},
    {"LayerType",
     "kEltwise=221 kLayerNorm=222 kAttention=223 kPositionEmbedding=224 kDeconvolution=225 "
     "kSigmoidCrossEntropyLoss=302"},
    {"ActivationType", "GELU=5 SILU=6 RELU6=7 HARD_SIGMOID=8 HARD_SWISH=9"},
    {"EltwiseProto.Operation", "SUM=0 PROD=1 MAX=2"},
    {"UpdaterType", "kAdamW=8"},
    {"ChangeMethod", "kCosine=7 kPolynomial=8"},
};

std::vector<std::string> Cut(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + separator.size();
  }
  return parts;
}

std::string Default(const FieldDescriptor& field) {
  std::string text;
  google::protobuf::TextFormat::PrintFieldValueToString(
      *google::protobuf::MessageFactory::generated_factory()->GetPrototype(field.containing_type()),
      &field, -1, &text);
  return text;
}

// Returns the field in the notation of MessageSpec.
std::string Render(const FieldDescriptor& field) {
  std::string text = std::to_string(field.number());
  if (field.is_repeated()) text += "*";
  if (field.is_required()) text += "R";
  text += " " + field.name() + " ";
  if (field.message_type() != nullptr) {
    text += field.message_type()->name();
  } else if (field.enum_type() != nullptr) {
    text += field.enum_type()->name();
  } else {
    text += field.type_name();
  }
  if (field.has_default_value()) text += "=" + Default(field);
  if (field.is_packed()) text += " packed";
  return text;
}

const Descriptor* FindMessage(const std::string& name) {
  return DescriptorPool::generated_pool()->FindMessageTypeByName("singa." + name);
}

void ExpectMessage(const MessageSpec& spec) {
  SCOPED_TRACE(spec.name);
  const Descriptor* message = FindMessage(spec.name);
  ASSERT_NE(message, nullptr);
  std::string extensions;
  for (int i = 0; i < message->extension_range_count(); ++i)
    extensions += std::to_string(message->extension_range(i)->start) + "-" +
                  std::to_string(message->extension_range(i)->end - 1);
  EXPECT_EQ(extensions, spec.extensions);
  for (const std::string& field : Cut(spec.fields, "; ")) {
    const FieldDescriptor* found = message->FindFieldByNumber(std::stoi(field));
    EXPECT_EQ(found == nullptr ? "no such number" : Render(*found), field);
  }
}

void ExpectEnum(const EnumSpec& spec) {
  SCOPED_TRACE(spec.name);
  const EnumDescriptor* type =
      DescriptorPool::generated_pool()->FindEnumTypeByName(std::string("singa.") + spec.name);
  ASSERT_NE(type, nullptr);
  for (const std::string& value : Cut(spec.values, " ")) {
    const std::vector<std::string> parts = Cut(value, "=");
    const EnumValueDescriptor* found = type->FindValueByName(parts[0]);
    EXPECT_EQ(found == nullptr ? "none" : std::to_string(found->number()), parts[1]) << parts[0];
  }
}

TEST(Schema, IsThatOfSinga03) {
  ASSERT_NE(JobProto::descriptor(), nullptr);  // links the generated code
  for (const MessageSpec& spec : kMessages) ExpectMessage(spec);
  for (const EnumSpec& spec : kEnums) ExpectEnum(spec);
}

TEST(Schema, KeepsLaterFields) {
  for (const MessageSpec& spec : kAdded) ExpectMessage(spec);
  for (const EnumSpec& spec : kAddedEnums) ExpectEnum(spec);
}

// A new field must not take a number that an old file may use. LayerProto has categories instead.
TEST(Schema, NumbersNewFieldsFrom301) {
  for (const MessageSpec& spec : kMessages) {
    if (spec.name == std::string("LayerProto")) continue;
    const Descriptor* message = FindMessage(spec.name);
    ASSERT_NE(message, nullptr) << spec.name;
    std::set<int> known;
    for (const std::string& field : Cut(spec.fields, "; ")) known.insert(std::stoi(field));
    for (int i = 0; i < message->field_count(); ++i) {
      const int number = message->field(i)->number();
      EXPECT_TRUE(known.count(number) > 0 || number >= 301) << message->field(i)->full_name();
    }
  }
}

// The record has the bytes that SINGA 0.3's MNIST converter writes: 793 bytes, shape not packed.
TEST(Schema, WritesRecordsAsSinga03Does) {
  RecordProto record;
  record.add_shape(28);
  record.add_shape(28);
  record.set_label(5);
  record.set_pixel(std::string(784, '\0'));
  const std::string bytes = record.SerializeAsString();
  EXPECT_EQ(bytes.size(), 793u);
  EXPECT_EQ(bytes.substr(0, 9), std::string("\x08\x1c\x08\x1c\x10\x05\x1a\x90\x06", 9));
}

}  // namespace
}  // namespace singa
