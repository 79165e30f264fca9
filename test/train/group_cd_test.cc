// Tests an RBM on the rows of several workers, under contrastive divergence. The gradients' sum,
// the chains and the metric equal those of one worker.
#include "support/group_net.h"
#include "support/train/no_updates.h"

namespace singa {
namespace {

std::string Rbm(const std::string& name, const std::string& source, int units,
                const std::string& hidden, const std::string& visible) {
  const auto params = [&name](const std::string& weight, const std::string& bias) {
    return StrCat("param { name: '", name, weight, " } param { name: '", name, bias, "' } ");
  };
  return StrCat("layer { name: '", name, "vis' type: kRBMVis srclayers: '", source,
                "' srclayers: '", name, "hid' ", params("w'", "bv"), "rbm_conf { hdim: ", units,
                " ", visible, " } } layer { name: '", name, "hid' type: kRBMHid srclayers: '", name,
                "vis' ", params(StrCat("w2' share_from: '", name, "w'"), "bh"),
                "rbm_conf { hdim: ", units, " ", hidden, " } }");
}

void ExpectRbm(const std::string& hidden, const std::string& visible, int k, int workers) {
  SCOPED_TRACE(StrCat(hidden, " ", visible, ", k ", k, ", ", workers, " workers"));
  const std::string net =
      "layer { name: 'data' type: kRecordInput store_conf { backend: 'synthetic' batchsize: 7 "
      "shape: 6 std_value: 255 synthetic_conf { records: 20 classes: 3 } } }" +
      Rbm("", "data", 5, hidden, visible);
  AlgProto conf;
  conf.set_alg(kCD);
  conf.mutable_cd_conf()->set_cd_k(k);
  for (bool reuse : {true, false}) {
    NetOptions options;
    options.reuse = reuse;
    ExpectGroupIsOne(net, workers, options, [&](TestNet& test) {
      NoUpdates exchange;
      MakeAlgorithm(conf)->TrainOneBatch(test.ctx, test.net, exchange);
    });
  }
}

TEST(GroupCd, OfSeveralWorkersIsOne) {
  for (const char* hidden : {"", "gaussian: true"})
    for (const char* visible : {"", "persistent: true"})
      for (int k : {1, 3})
        for (int workers : {2, 3}) ExpectRbm(hidden, visible, k, workers);
}

}  // namespace
}  // namespace singa
