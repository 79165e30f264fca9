#include "driver/schema/layer_text.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "driver/schema/schema_comments.h"
#include "driver/schema/schema_text.h"
#include "singa/nn/layer.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(SchemaComments, EveryFieldOfAJobHasOneOrFollowsOneThatHas) {
  const google::protobuf::FieldDescriptor* last = nullptr;
  for (const FieldPlace& place : AllFields()) {
    const bool follows = last && last->containing_type() == place.field->containing_type();
    EXPECT_TRUE(!CommentOf(*place.field).empty() || follows) << place.path;
    last = place.field;
  }
}

TEST(SchemaComments, AreOneLine) {
  const auto& conf = *ConvolutionProto::descriptor();
  EXPECT_EQ(CommentOf(*conf.FindFieldByName("kernel")), "Side of the filters; >= 1.");
  EXPECT_EQ(CommentOf(*conf.FindFieldByName("group")),
            "The channels are cut into this many groups. Output channels of a group read the input "
            "channels of that group alone; >= 1; divides both.");
  EXPECT_THAT(CommentOf(conf), HasSubstr("Params of kConvolution: filters (num_filters, "));
}

TEST(LayersText, HasALineForEachRegisteredType) {
  const std::string text = LayersText();
  for (const std::string& name : Layers().Names()) EXPECT_THAT(text, HasSubstr("  " + name + " "));
  EXPECT_THAT(text, ContainsRegex("\n  kReLU +max\\(0, x\\), or leaky +relu_conf\n"));
  EXPECT_LT(text.find("Input layers"), text.find("Neuron layers"));
  EXPECT_LT(text.find("kTimeSteps"), text.find("kShardData"));  // deprecated: last
}

TEST(LayerText, HasSourcesSettingsAndParams) {
  const std::string text = LayerTextOf("kConvolution").value();
  EXPECT_EQ(text.find("kConvolution: convolution of images (neuron layer)\n\nsources: 1 source\n"
                      "settings: convolution_conf, a ConvolutionProto\n"),
            0u)
      << text;
  EXPECT_THAT(text, HasSubstr("bias (num_filters)"));
  EXPECT_THAT(text, ContainsRegex("\n  kernel +int32, default 3. Side of the filters; >= 1.\n"));
}

TEST(LayerText, CountsSources) {
  const auto sources = [](const char* type) {
    const std::string text = LayerTextOf(type).value();
    const size_t at = text.find("sources: ") + 9;
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(sources("kRecordInput"), "none");
  EXPECT_EQ(sources("kSoftmaxLoss"), "2 sources");
  EXPECT_EQ(sources("kGRU"), "from 1 to 2 sources");
  EXPECT_EQ(sources("kConcate"), "1 source or more");
}

TEST(LayerText, OldNamesLeadToThePlainType) {
  const std::string text = LayerTextOf("kCudnnConv").value();
  EXPECT_EQ(text.find("kCudnnConv is an old name of kConvolution, "), 0u) << text;
  EXPECT_THAT(text, HasSubstr("\nkConvolution: convolution of images"));
  EXPECT_THAT(LayerTextOf("kShardData").value(), HasSubstr("write kRecordInput"));
}

TEST(LayerText, ExamplesOfAllTypesParse) {
  for (const std::string& name : Layers().Names()) {
    const std::string text = LayerTextOf(name).value();
    const size_t begin = text.find("  layer {\n"), end = text.find("\n  }\n", begin);
    ASSERT_NE(begin, std::string::npos) << text;
    NetProto net;
    EXPECT_TRUE(
        google::protobuf::TextFormat::ParseFromString(text.substr(begin, end + 5 - begin), &net))
        << text;
    EXPECT_EQ(net.layer_size(), 1) << text;
  }
}

TEST(LayerText, TheExampleOfLinesIsATable) {
  EXPECT_EQ(ExampleOf(kCSVInput).ShortDebugString(),
            "name: \"mine\" type: kCSVInput store_conf { backend: \"textfile\" path: \"table.csv\" "
            "batchsize: 32 shape: 4 header: true label_column: \"class\" }");
}

TEST(LayerText, AnExampleHasTheSettingsWithoutADefault) {
  EXPECT_EQ(ExampleOf(kConvolution).ShortDebugString(),
            "name: \"conv1\" srclayers: \"image\" type: kConvolution convolution_conf { "
            "num_filters: 32 }");
}

TEST(LayerText, AnUnknownTypeHasNone) { EXPECT_FALSE(LayerTextOf("convolution").has_value()); }

TEST(SchemaText, LinesHaveAtMost100Columns) {
  for (const std::string& name : Layers().Names()) {
    std::istringstream lines(LayerTextOf(name).value());
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

}  // namespace
}  // namespace singa
