// Tests slices of rows, and joined rows, of which each worker of a group has its part.
#include "support/layer_test.h"
#include "support/nn/divided_net.h"

namespace singa {
namespace {

constexpr char kData[] =
    "layer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 10 shape: 4 } }\n";

std::string Linear(const std::string& name, const std::string& source, int units,
                   const std::string& more = "") {
  return StrCat("layer { name: '", name, "' user_type: 'TestLinear' srclayers: '", source,
                "' param { name: 'w_", name, "' } innerproduct_conf { num_output: ", units, " } ",
                more, " }\n");
}

std::string Slice(const std::string& source, int slices) {
  return StrCat("layer { name: 'slice' type: kSlice srclayers: '", source,
                "' slice_conf { slice_dim: 0 num_slices: ", slices, " } }\n");
}

std::string Join(const std::string& sources) {
  return StrCat("layer { name: 'join' type: kConcate ", sources,
                " concate_conf { concate_dim: 0 } }\n");
}

std::string LossOf(const std::string& sources) {
  return StrCat("layer { name: 'loss' user_type: 'TestLoss' ", sources, " }\n");
}

// The part of one worker, with nothing allocated.
TestNet PartOfOne(const std::string& text, int worker, int workers) {
  NetOptions options;
  options.parts = workers;
  options.worker = worker;
  return TestNet(text, options, false);
}

// Three slices of 10 rows have 3, 3 and 4.
const std::string kThreeSlices = kData + Linear("a", "data", 5) + Slice("a", 3) +
                                 Linear("b", "slice:0", 3) + Linear("c", "slice:1", 4) +
                                 Linear("d", "slice:2", 6) +
                                 LossOf("srclayers: 'b' srclayers: 'c' srclayers: 'd'");
const std::string kJoined = kData + Linear("a", "data", 5) + Linear("b", "data", 5) +
                            Join("srclayers: 'a' srclayers: 'b'") + Linear("c", "join", 3) +
                            LossOf("srclayers: 'c'");

TEST(RowsOfWorkers, SlicesAreThoseOfOneWorker) {
  for (const int workers : {2, 3}) ExpectTheNetOfOne(kThreeSlices, workers);
  ExpectTheNetOfOne(kThreeSlices, 3, KeepAll());
}

TEST(RowsOfWorkers, JoinedRowsAreThoseOfOneWorker) {
  for (const int workers : {2, 3, 7}) ExpectTheNetOfOne(kJoined, workers);
  ExpectTheNetOfOne(kJoined, 3, KeepAll());
}

TEST(RowsOfWorkers, JoinedSlicesAreThoseOfOneWorker) {
  for (const char* order :
       {"srclayers: 'b' srclayers: 'c' srclayers: 'slice:2'",
        "srclayers: 'slice:2' srclayers: 'c' srclayers: 'b'", "srclayers: 'c' srclayers: 'c'"}) {
    const std::string text = kData + Linear("a", "data", 5) + Slice("a", 3) +
                             Linear("b", "slice:0", 5) + Linear("c", "slice:1", 5) + Join(order) +
                             "layer { name: 'drop' type: kDropout srclayers: 'join' }" +
                             Linear("e", "drop", 3) + LossOf("srclayers: 'e'");
    for (const int workers : {2, 3}) ExpectTheNetOfOne(text, workers);
  }
}

TEST(RowsOfWorkers, AWorkerHasItsPartOfEachSlice) {
  const int64_t rows[3][2] = {{1, 2}, {1, 2}, {2, 2}}, first[3] = {0, 3, 6};
  for (int i = 0; i < 2; ++i) {
    TestNet part = PartOfOne(kThreeSlices, i, 2);
    for (int k = 0; k < 3; ++k) {
      const RowSpan& span = part.net.Find("slice")->out[k]->span;
      EXPECT_EQ(span.batch, 10);
      EXPECT_EQ(span.rows, rows[k][i]);
      EXPECT_EQ(span.first, first[k] + (i ? rows[k][0] : 0));
      EXPECT_EQ(part.net.Find("slice")->out[k]->data.shape(), Shape({rows[k][i], 5}));
    }
  }
}

TEST(RowsOfWorkers, AWorkerHasItsPartOfJoinedRows) {
  const int64_t rows[] = {6, 7, 7}, first[] = {0, 6, 13};
  for (int i = 0; i < 3; ++i) {
    TestNet part = PartOfOne(kJoined, i, 3);
    const Port& in = *part.net.Find("c")->in[0];
    EXPECT_EQ(in.span.batch, 20);
    EXPECT_EQ(in.span.rows, rows[i]);
    EXPECT_EQ(in.span.first, first[i]);
    EXPECT_EQ(in.data.shape(), Shape({rows[i], 5}));
  }
}

TEST(RowsOfWorkers, NeighboursMayBeDividedByUnits) {
  const std::string units = "partition_dim: 1";
  const std::string text = kData + Linear("a", "data", 5, units) + Slice("a", 2) +
                           Linear("b", "slice:0", 4, units) + Linear("c", "slice:1", 4, units) +
                           Join("srclayers: 'b' srclayers: 'c'") + Linear("d", "join", 3, units) +
                           Linear("e", "join", 4) + LossOf("srclayers: 'd' srclayers: 'e'");
  for (const int workers : {2, 3}) ExpectTheNetOfOne(text, workers);
}

TEST(RowsOfWorkers, PicturesAreCutAndJoined) {
  const std::string text =
      "layer { name: 'data' type: kDummy dummy_conf { input: true shape: 7 shape: 3 shape: 6 "
      "shape: 5 } }\n"
      "layer { name: 'conv' type: kConvolution srclayers: 'data' param { name: 'w' } param { name: "
      "'b' } convolution_conf { num_filters: 4 kernel: 3 } partition_dim: 1 }\n" +
      Slice("conv", 2) +
      "layer { name: 'relu' type: kReLU srclayers: 'slice:0' partition_dim: 1 }\n" +
      Join("srclayers: 'relu' srclayers: 'slice:1'") + LossOf("srclayers: 'join'");
  for (const int workers : {2, 3}) ExpectTheNetOfOne(text, workers);
}

TEST(RowsOfWorkers, DropoutDropsTheUnitsOfOneWorker) {
  const std::string text = kData + Linear("a", "data", 5) + Slice("a", 2) +
                           "layer { name: 'drop' type: kDropout srclayers: 'slice:1' }\n" +
                           Join("srclayers: 'drop' srclayers: 'slice:0'") +
                           "layer { name: 'drop2' type: kDropout srclayers: 'join' }\n" +
                           LossOf("srclayers: 'drop2'");
  for (const int workers : {2, 3}) ExpectTheNetOfOne(text, workers);
}

TEST(RowsOfWorkers, ASliceThatNobodyReadsHasNoGradient) {
  const std::string text =
      kData + Linear("a", "data", 5) + Slice("a", 3) + LossOf("srclayers: 'slice:1'");
  ExpectTheNetOfOne(text, 3);
}

// Two layers cut alike, and another one in more slices.
TEST(RowsOfWorkers, ManyLayersMayCutOneFeature) {
  const auto slice = [](const char* name, int slices) {
    return StrCat("layer { name: '", name,
                  "' type: kSlice srclayers: 'a' slice_conf { num_slices: ", slices, " } }\n");
  };
  const std::string text =
      kData + Linear("a", "data", 5) + slice("s", 2) + slice("t", 2) + slice("u", 3) +
      LossOf("srclayers: 's:0' srclayers: 't:1' srclayers: 'u:2' srclayers: 'a'");
  ExpectTheNetOfOne(text, 2);
  ExpectTheNetOfOne(text, 3);
}

TEST(RowsOfWorkers, UnrolledRowsAreCutStepByStep) {
  const std::string one = " unroll_conn_type: kUnrollOneToOne unroll_len: 3 ";
  const std::string text =
      "unroll_len: 3\nlayer { name: 'data' user_type: 'TestInput' dummy_conf { shape: 7 shape: 4 } "
      "split_conf { num_splits: 3 } unroll_len: 1 }\n" +
      Linear("a", "data", 5, one) +
      "layer { name: 'slice' type: kSlice srclayers: 'a' slice_conf { "
      "num_slices: 2 }" +
      one + "}\n" + Linear("b", "slice:0", 5, one + "partition_dim: 1") +
      "layer { name: 'join' type: kConcate srclayers: 'b' srclayers: 'slice:1'" + one + "}\n" +
      "layer { name: 'tanh' type: kSTanh srclayers: 'join' partition_dim: 1" + one + "}\n" +
      "layer { name: 'loss' user_type: 'TestLoss' srclayers: 'tanh'" + one + "}\n";
  for (const bool fold : {true, false}) {
    NetOptions options;
    options.fold = fold;
    for (const int workers : {2, 3}) ExpectTheNetOfOne(text, workers, options);
  }
}

// A batch has all records, so that each step has the same.
TEST(RowsOfWorkers, LabelsGoWithTheirRows) {
  const std::string text =
      "layer { name: 'data' type: kRecordInput store_conf { backend: 'synthetic' batchsize: 11 "
      "shape: 4 synthetic_conf { records: 11 classes: 5 } } }\n" +
      Slice("data", 2) + Join("srclayers: 'slice:1' srclayers: 'slice:0'") +
      Linear("a", "slice:1", 5) + Linear("b", "join", 5) +
      "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'a' srclayers: 'slice:1' }\n"
      "layer { name: 'loss2' type: kSoftmaxLoss srclayers: 'b' srclayers: 'join' }\n";
  for (const int workers : {2, 3, 5}) ExpectTheNetOfOne(text, workers);
}

class RowsRefused : public ::testing::Test {
 protected:
  static void Build(const std::string& layers, NetOptions options) {
    ParamTable params;
    BuildNet(ParseNet(kData + layers), options, &params);
  }
};

TEST_F(RowsRefused, ASliceWithoutARowForEachWorker) {
  EXPECT_NO_THROW(Build(Slice("data", 3), {.parts = 3}));
  EXPECT_CONFIG_ERROR_SAYS(Build(Slice("data", 4), {.parts = 3}),
                           "neuralnet.layer[slice].slice_conf.num_slices", "from 1 to 3");
}

TEST_F(RowsRefused, UnevenRowsOfWorkers) {
  const std::string uneven =
      "layer { name: 'rows' type: kRecordInput store_conf { backend: 'synthetic' batchsize: 5 "
      "batchsize: 3 shape: 4 synthetic_conf { records: 40 } } }\n";
  EXPECT_CONFIG_ERROR(Build(uneven + Slice("rows", 2), {.parts = 2}),
                      "neuralnet.layer[slice].slice_conf.slice_dim");
  EXPECT_CONFIG_ERROR(Build(uneven + "layer { name: 'out' type: kCSVOutput srclayers: 'rows' "
                                     "store_conf { path: 'x' } }",
                            {.parts = 2}),
                      "neuralnet.layer[out].type");
  EXPECT_CONFIG_ERROR(Build(uneven + Join("srclayers: 'rows'"), {.parts = 2}),
                      "neuralnet.layer[join].concate_conf.concate_dim");
}

}  // namespace
}  // namespace singa
