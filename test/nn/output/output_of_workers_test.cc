// Tests that the workers of a group write the file that one worker writes.
#include "io/store/output_files.h"
#include "io/temp_dir.h"
#include "support/layer_test.h"
#include "support/nn/divided_net.h"

namespace singa {
namespace {

class OutputOfWorkers : public ::testing::Test {
 protected:
  static void WriteTo(OutputFiles* files, TestNet* test) {
    for (NetNode& node : test->net.nodes()) node.layer->WriteTo(files);
  }

  // Returns what two steps of one worker write, and expects the same of several.
  std::string Written(const std::string& text) {
    OutputFiles files;
    TestNet one(text);
    WriteTo(&files, &one);
    for (int step = 0; step < 2; ++step) one.Forward();
    files.Finish();
    const std::string whole = TempDir::Read(path_);
    for (const int workers : {2, 3, 5}) {
      std::vector<OutputFiles> of_workers(workers);
      DividedNet divided(text, workers);
      for (int i = 0; i < workers; ++i) WriteTo(&of_workers[i], &divided.parts()[i]);
      for (int step = 0; step < 2; ++step) divided.Step();
      for (OutputFiles& own : of_workers) own.Finish();
      EXPECT_EQ(TempDir::Read(path_), whole) << workers << " workers";
    }
    return whole;
  }

  const TempDir dir_;
  const std::string path_ = dir_.Path("out");
  const std::string data_ =
      "layer { name: 'data' type: kRecordInput store_conf { backend: 'synthetic' batchsize: 7 "
      "shape: 6 std_value: 255 synthetic_conf { records: 7 classes: 5 } } }\n";
};

TEST_F(OutputOfWorkers, HasRowsAndLabelsInTheirOrder) {
  const std::string file =
      Written(data_ + StrCat("layer { name: 'out' type: kCSVOutput srclayers: 'data' srclayers: "
                             "'data' store_conf { path: '",
                             path_, "' } }"));
  EXPECT_EQ(std::count(file.begin(), file.end(), '\n'), 14);
}

TEST_F(OutputOfWorkers, HasAllUnitsOfALayerDividedByUnits) {
  Written(data_ +
          StrCat("layer { name: 'relu' type: kReLU srclayers: 'data' partition_dim: 1 }\n"
                 "layer { name: 'out' type: kRecordOutput srclayers: 'relu' store_conf { path: '",
                 path_, "' } }"));
}

TEST_F(OutputOfWorkers, HasTheTimeStepsInTheirOrder) {
  const std::string one = " unroll_conn_type: kUnrollOneToOne unroll_len: 3 ";
  Written(
      StrCat("unroll_len: 3 layer { name: 'data' user_type: 'TestInput' unroll_len: 1 "
             "dummy_conf { shape: 7 shape: 4 } split_conf { num_splits: 3 } }\n"
             "layer { name: 'relu' type: kReLU srclayers: 'data'",
             one, "}\nlayer { name: 'out' type: kCSVOutput srclayers: 'relu'", one,
             "store_conf { path: '", path_, "' } }"));
}

}  // namespace
}  // namespace singa
