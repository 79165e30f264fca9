// Measures updaters on a param that stays in the second-level cache, as the pieces of a large
// gradient do, and on one of AlexNet's, which does not stay there. They read w, g and the states
// and write w and the states.
#include "memory_kernel.h"
#include "singa/base/str_cat.h"
#include "singa/train/updater.h"

namespace singa {
namespace {

bool Add(UpdaterProto conf, int64_t n) {
  const std::shared_ptr<Updater> updater = MakeUpdater(conf);
  const auto states = static_cast<int64_t>(updater->states().size());
  const int64_t bytes = (3 + 2 * states) * n * static_cast<int64_t>(sizeof(float));
  const std::string name = UpdaterType_Name(conf.type()) + (conf.momentum() > 0 ? " momentum" : "");
  return AddMemoryKernel(StrCat(name, ", ", n), bytes, [=](Context& ctx) -> std::function<void()> {
    std::vector<Tensor> tensors;
    for (int64_t i = 0; i < 2 + states; ++i) tensors.push_back(Numbers(n));
    for (int64_t i = 2; i < 2 + states; ++i)
      for (int64_t j = 0; j < n; ++j) tensors[i].data()[j] += 1;  // roots are taken of some
    return [=, &ctx]() mutable {
      std::vector<float*> memory;
      for (size_t i = 2; i < tensors.size(); ++i) memory.push_back(tensors[i].data());
      updater->Update(ctx, {.count = 10, .lr = 1e-4f, .weight_decay = 1e-4f}, tensors[0].data(),
                      tensors[1].data(), memory, n);
    };
  });
}

bool AddAll() {
  for (int64_t n : {int64_t{1} << 17, int64_t{1} << 24}) {
    UpdaterProto conf;
    conf.set_delta(1e-6f);
    conf.mutable_rmsprop_conf()->set_rho(0.9f);
    for (UpdaterType type : {kSGD, kAdaGrad, kRMSProp, kAdaDelta, kAdam, kAdamW, kAdamMax}) {
      conf.set_type(type);
      Add(conf, n);
    }
    conf.set_momentum(0.9f);
    for (UpdaterType type : {kSGD, kNesterov}) {
      conf.set_type(type);
      Add(conf, n);
    }
  }
  return true;
}

[[maybe_unused]] const bool added = AddAll();

}  // namespace
}  // namespace singa
