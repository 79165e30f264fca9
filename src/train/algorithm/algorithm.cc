#include "singa/train/algorithm.h"

#include "base/make_by_type.h"
#include "base/text/edit_distance.h"
#include "singa/base/error.h"

namespace singa {

void Algorithm::Setup(const AlgProto&) {}

void Algorithm::TestOneBatch(Context& ctx, Net& net) {
  for (NetNode& node : net.nodes()) net.ComputeFeature(ctx, node, net.phase());
}

AlgorithmRegistry& Algorithms() {
  static AlgorithmRegistry registry("algorithm");
  return registry;
}

std::unique_ptr<Algorithm> MakeAlgorithm(const AlgProto& conf) {
  std::unique_ptr<Algorithm> algorithm;
  if (conf.has_user_alg()) {
    algorithm = Algorithms().Make(conf.user_alg());
    if (!algorithm)
      throw ConfigError("user_alg",
                        StrCat("no algorithm is registered as \"", conf.user_alg(), "\"",
                               DidYouMean(conf.user_alg(), Algorithms().Names())));
  } else if (!conf.has_alg() || conf.alg() == kUserAlg) {
    throw NoTypeError("needs an alg or a user_alg", kUserAlg);
  } else {
    algorithm = Algorithms().Make(AlgType_Name(conf.alg()));
    if (!algorithm) throw ConfigError("alg", StrCat(AlgType_Name(conf.alg()), " is not built yet"));
  }
  algorithm->Setup(conf);
  return algorithm;
}

}  // namespace singa
