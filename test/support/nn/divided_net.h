// DividedNet is a net whose layers K workers divide, each a thread of its own.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <thread>

#include "comm/exchange/memory_exchange.h"
#include "nn/connection/bridge.h"
#include "support/net_test.h"

namespace singa {

class DividedNet {
 public:
  DividedNet(const std::string& text, int workers, NetOptions options = {}) : text_(text) {
    MemoryGroup::Options group;
    group.ranks = {0, workers};
    group.group = group.here = workers;
    group_.emplace(group);
    for (int i = 0; i < workers; ++i) {
      options.parts = workers;
      options.worker = i;
      parts_.emplace_back(text, options);
      for (const auto& param : parts_.back().params.params()) FillPart(param.get());
    }
    board_.emplace(SizesOfBridges(parts_[0].net.nodes(), workers), SumNode{0, workers});
    for (int i = 0; i < workers; ++i) exchanges_.emplace_back(&*board_, &*group_, i, nullptr);
    for (int i = 0; i < workers; ++i) parts_[i].ctx.exchange = &exchanges_[i];
  }

  std::deque<TestNet>& parts() { return parts_; }
  Shape Out(int worker, const std::string& name) {
    return parts_[worker].net.Find(name)->out[0]->data.shape();
  }

  // Computes features and gradients of one step, and returns the loss of all workers.
  double Step() {
    Each([](TestNet& part) {
      part.Forward();
      part.Backward();
    });
    double loss = 0;
    for (TestNet& part : parts_) loss += part.TakeLoss();
    return loss;
  }

  // Returns the gradient of a whole param: the sum over the workers that compute parts of it. If
  // each computes the whole layer, it is the first worker's.
  std::vector<float> Grad(const std::string& name) {
    std::vector<float> whole(parts_[0].params.Find(name)->whole_shape().size());
    for (TestNet& part : parts_) {
      const Param& param = *part.params.Find(name);
      if (param.contributors() == 1 && !param.is_part() && &part != &parts_[0]) continue;
      for (int64_t i = 0; i < param.size(); ++i) whole[param.begin() + i] += param.grad.data()[i];
    }
    return whole;
  }

 private:
  // Gives a param the values of its rows of the whole param.
  static void FillPart(Param* param) {
    Tensor whole = Tensor::Allocate(param->whole_shape());
    FillUniform(param->name(), &whole);
    std::copy_n(whole.data() + param->begin(), param->size(), param->data.data());
  }
  void Each(const std::function<void(TestNet&)>& work) {
    std::vector<std::thread> threads;
    for (TestNet& part : parts_) threads.emplace_back([&] { work(part); });
    for (std::thread& thread : threads) thread.join();
  }

  const std::string text_;
  std::optional<MemoryGroup> group_;
  std::deque<TestNet> parts_;
  std::optional<RegionBoard> board_;
  std::deque<MemoryExchange> exchanges_;
};

// Returns, for each param, the most by which its gradient changes if every number of the params
// moves by one unit in its last place. Sums in another order have such an effect, too: it grows
// with the depth of a net, and differs with the number of lanes of a processor.
inline std::vector<float> EffectsOfRounding(const std::string& text, const NetOptions& options,
                                            TestNet* net) {
  TestNet moved(text, options);
  for (const auto& param : moved.params.params())
    for (int64_t i = 0; i < param->size(); ++i)
      param->data.data()[i] *= 1 + (i % 3 == 0 ? 1 : -1) * std::numeric_limits<float>::epsilon();
  moved.Forward();
  moved.Backward();
  std::vector<float> effects;
  for (const auto& param : net->params.params()) {
    const std::vector<float> a = net->Grad(param->name()), b = moved.Grad(param->name());
    float most = 0;
    for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    effects.push_back(most);
  }
  return effects;
}

// Expects that `workers` workers that divide the net compute the loss and the gradients of one.
// Gradients may differ by the rounding of float32.
inline void ExpectTheNetOfOne(const std::string& text, int workers, NetOptions options = {}) {
  TestNet whole(text, options);
  whole.Forward();
  const double loss = whole.TakeLoss();
  whole.Backward();
  const std::vector<float> effects = EffectsOfRounding(text, options, &whole);
  DividedNet divided(text, workers, options);
  for (int step = 0; step < 2; ++step) {
    EXPECT_NEAR(divided.Step(), loss, 1e-5 * std::max(1.0, std::abs(loss))) << text;
    auto effect = effects.begin();
    for (const auto& param : whole.params.params()) {
      const std::vector<float> one = whole.Grad(param->name()), all = divided.Grad(param->name());
      ASSERT_EQ(one.size(), all.size());
      float largest = 1e-3f;
      for (const float x : one) largest = std::max(largest, std::abs(x));
      const float bound = 1e-5f * largest + 4 * *effect++;
      for (size_t i = 0; i < one.size(); ++i)
        ASSERT_NEAR(one[i], all[i], bound)
            << param->name() << "[" << i << "] of " << workers << " workers\n"
            << text;
    }
  }
}

}  // namespace singa
