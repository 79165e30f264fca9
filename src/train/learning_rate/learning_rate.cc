#include "singa/train/learning_rate.h"

#include "train/make_by_type.h"

namespace singa {

LearningRateRegistry& LearningRates() {
  static LearningRateRegistry registry;
  return registry;
}

std::unique_ptr<LearningRate> MakeLearningRate(const LRGenProto& conf) {
  return MakeByType(LearningRates(), conf, kUserChange, ChangeMethod_Name(conf.type()),
                    "needs a type or a user_type");
}

}  // namespace singa
