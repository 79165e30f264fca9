// Tests what the layers that read stores have in common. record_input_test.cc tests their features.
#include "nn/input/store_input.h"

#include "io/temp_dir.h"
#include "support/layer_test.h"

namespace singa {
namespace {

class StoreInputTest : public testing::Test {
 protected:
  // The records are (i, 10 i) with the label i; the sixth is bad.
  StoreInputTest() {
    std::string lines;
    for (int i = 0; i < 12; ++i)
      lines += i == 5 ? "5,x,50\n" : StrCat(i, ",", i, ",", 10 * i, "\n");
    path_ = dir_.Write("store", lines);
  }
  std::unique_ptr<BuiltLayer> Build(const std::string& settings, const std::string& more = "") {
    return std::make_unique<BuiltLayer>(ctx_,
                                        StrCat("name: 'data' type: kCSVInput store_conf { path: '",
                                               path_, "' shape: 2 ", settings, " } ", more),
                                        std::vector<Input>());
  }
  static StoreInput& Of(BuiltLayer* layer) { return *StoreInputOf(&layer->layer()); }
  static std::vector<int> Labels(BuiltLayer* layer) {
    layer->BeginStep(0);
    layer->Forward(kTrain);
    const int32_t* const label = layer->out(0).label.as<int32_t>();
    return {label, label + layer->out(0).label.size()};
  }

  const TempDir dir_;
  std::string path_;
  Context ctx_;
};

TEST_F(StoreInputTest, OtherLayersAreNone) {
  BuiltLayer relu(ctx_, "type: kReLU", {{.shape = {1, 2}}});
  EXPECT_EQ(StoreInputOf(&relu.layer()), nullptr);
}

TEST_F(StoreInputTest, TargetsAreTheSecondOutput) {
  const auto layer = Build("batchsize: 4 num_targets: 1 random_skip: 0");
  ASSERT_EQ(layer->num_outputs(), 2);
  layer->BeginStep(0);
  layer->Forward(kTrain);
  EXPECT_EQ(layer->Output(0), (std::vector<float>{0, 0, 1, 10, 2, 20, 3, 30}));
  EXPECT_EQ(layer->Output(1), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_FALSE(layer->out(0).has_label());
  EXPECT_EQ(layer->out(1).span.rows, 4);
  EXPECT_EQ(layer->out(1).span.batch, 4);
}

TEST_F(StoreInputTest, ABadTargetIsNamedByItsLine) {
  path_ = dir_.Write("more", "0,0,1,2\n1,1,1,2\n2,x,1,2\n");
  const auto layer = Build("batchsize: 2 num_targets: 2");
  layer->BeginStep(0);
  layer->Forward(kTrain);
  EXPECT_ERROR(layer->Forward(kTrain), kExitBadData, path_,
               ":3: record 2: target 2 in column 2 is \"x\"");
}

TEST_F(StoreInputTest, RejectsTargetsThatCannotBe) {
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 num_targets: -1"), "store_conf.num_targets",
                           "must be from 0 to 1000000, is -1");
  BuiltLayer synthetic(ctx_,
                       "type: kRecordInput store_conf { backend: 'synthetic' shape: 2 batchsize: 2 "
                       "num_targets: 3 synthetic_conf { records: 5 } }",
                       {});
  synthetic.BeginStep(0);
  synthetic.Forward(kTrain);
  for (float target : synthetic.Output(1)) EXPECT_TRUE(target >= 0 && target < 1) << target;
  const auto cifar = [this] {
    BuiltLayer(ctx_,
               "type: kRecordInput store_conf { backend: 'cifar10' path: 'x' shape: 3 shape: 32 "
               "shape: 32 batchsize: 2 num_targets: 3 }",
               {});
  };
  EXPECT_CONFIG_ERROR_SAYS(cifar(), "store_conf.num_targets", "records of backend \"cifar10\"");
}

TEST_F(StoreInputTest, TheLabelMayBeInAnyNamedColumn) {
  path_ = dir_.Write("table", "a,class,b\n1,7,2\n3,8,4\n");
  const auto layer = Build("batchsize: 2 header: true label_column: 'class'");
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{7, 8}));
  EXPECT_EQ(layer->Output(0), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(StoreInputTest, LabelsMayBeWords) {
  path_ = dir_.Write("table", "a,b,class\n1,2,no\n3,4,n/a\n");
  const auto layer =
      Build("batchsize: 2 header: true label_column: 'class' class_names: ['n/a', 'no']");
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{1, 0}));
  EXPECT_EQ(Of(layer.get()).ClassNames(), (std::vector<std::string>{"n/a", "no"}));
}

TEST_F(StoreInputTest, TargetsMayBeginInAnyColumn) {
  path_ = dir_.Write("table", "1,7,2,5\n3,8,4,6\n");
  const auto layer = Build("batchsize: 2 num_targets: 2 label_column: '3'");
  layer->BeginStep(0);
  layer->Forward(kTrain);
  EXPECT_EQ(layer->Output(0), (std::vector<float>{1, 7, 3, 8}));
  EXPECT_EQ(layer->Output(1), (std::vector<float>{2, 5, 4, 6}));
}

TEST_F(StoreInputTest, AMeanFileOfATableHasNumbersAlone) {
  path_ = dir_.Write("table", "a,b,class\n1,2,7\n3,4,8\n");
  const std::string mean = dir_.Write("mean", "1,1\n");
  const auto layer =
      Build(StrCat("batchsize: 2 header: true label_column: 'class' mean_file: '", mean, "'"));
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{7, 8}));
  EXPECT_EQ(layer->Output(0), (std::vector<float>{0, 1, 2, 3}));
}

TEST_F(StoreInputTest, RejectsColumnsThatCannotBe) {
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 label_column: '0'"), "store_conf.label_column",
                           "must be a name, or from 1 to 1000000, is 0");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 label_column: 'x'"), "store_conf.label_column",
                           "only a file with header: true has names of columns");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 backend: 'kvfile' header: true"),
                           "store_conf.header", "is for CSV in a textfile");
}

TEST_F(StoreInputTest, RejectsClassNamesThatCannotBe) {
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 class_names: ['a', ' b']"),
                           "store_conf.class_names#1", "blanks around a label are not read");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 class_names: 'a\\nb'"), "store_conf.class_names",
                           "has a line break");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 class_names: 'K\\xe4se'"), "store_conf.class_names",
                           "which is not UTF-8");
}

TEST_F(StoreInputTest, RejectsNumbersOfChannelsThatFitNoChannel) {
  for (const char* field : {"channel_mean", "channel_std"}) {
    EXPECT_CONFIG_ERROR_SAYS(Build(StrCat("batchsize: 4 ", field, ": 1")),
                             StrCat("store_conf.", field), "each of the 2 channels");
    EXPECT_CONFIG_ERROR_SAYS(Build(StrCat("batchsize: 4 ", field, ": [1, inf]")),
                             StrCat("store_conf.", field, "#1"), "must be finite");
  }
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 channel_std: [1, 0]"), "store_conf.channel_std#1",
                           "must not be 0");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 shape: 3 channel_mean: [1, 2]"),
                           "store_conf.channel_mean", "each of the 1 channel");
  Build("batchsize: 4 shape: 3 channel_mean: 1");  // shape (2, 3): a picture of one channel
}

TEST_F(StoreInputTest, RejectsAShortSideThatMakesNoPictures) {
  const auto build = [this](const std::string& store) {
    BuiltLayer(ctx_, "type: kRecordInput store_conf { path: 'x' batchsize: 2 " + store + " }", {});
  };
  const std::string folder = "backend: 'imagefolder' shape: 3 shape: 20 shape: 30 short_side: ";
  for (const char* pixels : {"29", "-1", "65536"})
    EXPECT_CONFIG_ERROR_SAYS(build(folder + pixels), "store_conf.short_side",
                             "must be 0, or from 30, the larger of shape's height and width");
  EXPECT_CONFIG_ERROR_SAYS(build("backend: 'imagefolder' shape: 9 short_side: 9"),
                           "store_conf.short_side", "is for pictures");
  const std::string kvfile = "shape: 3 shape: 8 shape: 8 short_side: 8";
  EXPECT_CONFIG_ERROR_SAYS(build(kvfile), "store_conf.short_side", "does not decode");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 4 shape: 3 short_side: 9"), "store_conf.short_side",
                           "does not decode");
}

TEST_F(StoreInputTest, OptionsAreThoseOfTheConf) {
  const auto layer = Build("batchsize: 8 decode_threads: 3 random_skip: 5 shuffle: true",
                           "num_partitions: 2 partition_id: 1 partition_dim: 0");
  const ReaderOptions& options = Of(layer.get()).options();
  EXPECT_EQ(options.backend, "textfile");
  EXPECT_EQ(options.store.path, path_);
  EXPECT_EQ(options.shape, std::vector<int64_t>{2});
  EXPECT_EQ(options.order.stream, "data");
  EXPECT_TRUE(options.order.shuffle);
  EXPECT_EQ(options.order.random_skip, 5);
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.max_bad, 0);
  EXPECT_EQ(options.batch, 8);
  EXPECT_EQ(options.first, 4);
  EXPECT_EQ(options.rows, 4);
  EXPECT_EQ(Of(layer.get()).field(), "store_conf");
  EXPECT_EQ(Of(layer.get()).Stride(), 8);
}

TEST_F(StoreInputTest, CountsTheMemoryOfItsReader) {
  const auto layer = Build("batchsize: 8");
  EXPECT_EQ(layer->declare().declared().kept, Of(layer.get()).options().ring_bytes());
  EXPECT_GT(layer->declare().declared().kept, 0);
}

TEST_F(StoreInputTest, AReaderThatIsNotOpenHasAPositionToo) {
  const auto layer = Build("batchsize: 2");
  StoreInput& input = Of(layer.get());
  EXPECT_EQ(input.Position(), 0);
  input.Seek(6);
  EXPECT_EQ(input.Position(), 6);
  EXPECT_EQ(input.CountRecords(), 12);
  EXPECT_EQ(input.RecordOfRow(0), (std::pair<std::string, int64_t>("", -1)));
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{6, 7}));
}

TEST_F(StoreInputTest, BadRecordsAreSkippedAndKept) {
  const auto layer = Build("batchsize: 4 on_bad_record: kSkip max_bad_records: 2");
  StoreInput& input = Of(layer.get());
  EXPECT_TRUE(input.BadRecords().empty());
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(Labels(layer.get()), (std::vector<int>{4, 6, 6, 7}));  // the next one in its place
  EXPECT_EQ(input.BadRecords(), std::vector<int64_t>{5});
}

TEST_F(StoreInputTest, BadRecordsOfAnEarlierRunAreKnownFromTheStart) {
  const auto layer = Build("batchsize: 2 on_bad_record: kSkip");
  Of(layer.get()).RestoreBadRecords({5});
  EXPECT_EQ(Of(layer.get()).BadRecords(), std::vector<int64_t>{5});
  Labels(layer.get());
  EXPECT_EQ(Of(layer.get()).BadRecords(), std::vector<int64_t>{5});
}

TEST_F(StoreInputTest, ARowComesFromARecord) {
  const auto layer = Build("batchsize: 3");
  Labels(layer.get());
  EXPECT_EQ(Of(layer.get()).RecordOfRow(2), (std::pair(path_, int64_t{2})));
}

TEST_F(StoreInputTest, StatesTheFactsOfItsStore) {
  const auto layer = Build("batchsize: 3");
  Labels(layer.get());
  EXPECT_EQ(Of(layer.get()).Facts().records, 12);
  EXPECT_TRUE(Of(layer.get()).ClassNames().empty());  // only folders of pictures have some
}

TEST_F(StoreInputTest, ThreadsAndLimitsAreInRange) {
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 1 decode_threads: 0"), "store_conf.decode_threads",
                           "must be from 1 to 64, is 0");
  EXPECT_CONFIG_ERROR(Build("batchsize: 1 decode_threads: 65"), "store_conf.decode_threads");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 1 max_bad_records: 0"), "store_conf.max_bad_records",
                           "must be >= 1, is 0");
  EXPECT_CONFIG_ERROR(Build("batchsize: 1 separator: ''"), "store_conf.separator");
  EXPECT_CONFIG_ERROR_SAYS(Build("batchsize: 1 backend: 'idx'"), "store_conf.backend",
                           "must be kvfile or textfile, is \"idx\", which is for kRecordInput");
  EXPECT_CONFIG_ERROR(Build("batchsize: 1 colour_order: kBlueFirst"), "store_conf.colour_order");
}

TEST_F(StoreInputTest, SyntheticRecordsAreSomeOfSomeClass) {
  const auto build = [this](const std::string& synthetic) {
    return BuiltLayer(ctx_,
                      "type: kRecordInput store_conf { backend: 'synthetic' batchsize: 1 shape: 1 "
                      "synthetic_conf { " +
                          synthetic + " } }",
                      std::vector<Input>());
  };
  EXPECT_CONFIG_ERROR(build("records: 0"), "store_conf.synthetic_conf.records");
  EXPECT_CONFIG_ERROR(build("records: 100000001"), "store_conf.synthetic_conf.records");
  EXPECT_CONFIG_ERROR(build("records: 1 classes: 0"), "store_conf.synthetic_conf.classes");
}

}  // namespace
}  // namespace singa
