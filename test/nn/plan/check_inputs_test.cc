// Tests that a bad label is named by its record, wherever the label comes from. text_net_test tests
// indices.
#include "nn/plan/check_inputs.h"

#include <string>

#include "io/temp_dir.h"
#include "support/layer_test.h"
#include "support/net_test.h"

namespace singa {
namespace check_inputs_test {

class CheckInputsTest : public ::testing::Test {
 protected:
  // Returns a net that reads records of one number, with labels of two classes, from `store`.
  std::string Net(const std::string& labels_of, const std::string& more = "") const {
    return StrCat("layer { name: 'data' type: kCSVInput store_conf { path: '", store_,
                  "' batchsize: 2 shape: 1 } } ", more,
                  "layer { name: 'fc' type: kInnerProduct srclayers: 'data' innerproduct_conf { "
                  "num_output: 2 bias_term: false } param { name: 'w' } } "
                  "layer { name: 'loss' type: kSoftmaxLoss srclayers: 'fc' srclayers: '",
                  labels_of, "' }");
  }
  const TempDir dir_;
  const std::string store_ = dir_.Write("store", "0,5\n1,6\n1,7\n2,8\n");
};

TEST_F(CheckInputsTest, ABadLabelOfAStoreIsNamedByItsRecord) {
  TestNet test(Net("data"));
  test.Forward();
  EXPECT_ERROR(test.Forward(), kExitBadData, store_, "record 3");
}

TEST_F(CheckInputsTest, ACopyOfTheLabelsKeepsTheirRecords) {
  TestNet test(Net("label", "layer { name: 'label' type: kLabel srclayers: 'data' } "));
  test.Forward();
  EXPECT_ERROR(test.Forward(), kExitBadData, store_, "record 3");
}

TEST_F(CheckInputsTest, ABadTargetIsNamedByItsRecord) {
  const auto net = [this](const std::string& more) {
    return StrCat("layer { name: 'data' type: kCSVInput store_conf { path: '", store_,
                  "' batchsize: 2 shape: 1 num_targets: 1 } } "
                  "layer { name: 'loss' type: kSigmoidCrossEntropyLoss srclayers: 'data' "
                  "srclayers: 'data:1' } ",
                  more);
  };
  for (const char* more : {"", "layer { name: 'more' type: kReLU srclayers: 'data:1' }"}) {
    TestNet test(net(more));
    test.Forward();
    EXPECT_ERROR(test.Forward(), kExitBadData, store_, "record 3", "a target is 2");
  }
}

}  // namespace check_inputs_test
}  // namespace singa
