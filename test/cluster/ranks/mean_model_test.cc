// Tests the model of workers that have values of their own.
#include "cluster/ranks/mean_model.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/comm/memory_links.h"

namespace singa::mean_model {
namespace {

using Floats = std::vector<float>;

// Two params of one and two values, with a state each.
struct OneReplica {
  OneReplica() {
    for (Param* const param : {&first, &second}) param->data = Tensor::Allocate(param->shape());
    replica.Attach(SliceTable(std::vector<Shape>{{1}, {2}}), {&first, &second});
    replica.SetFloats(1, 7, Floats(4));
  }
  static JobProto Momentum() {
    JobProto job;
    job.mutable_updater()->set_type(kSGD);
    job.mutable_updater()->set_momentum(0.9f);
    job.mutable_updater()->mutable_learning_rate()->set_type(kFixed);
    job.mutable_updater()->mutable_learning_rate()->set_base_lr(0.1f);
    return job;
  }

  Param first{"w", "fc", "", ParamProto(), {1}}, second{"b", "fc", "", ParamProto(), {2}};
  Replica replica{Momentum()};
};

constexpr float kOwn[3][6] = {{1, 2, 3, 4, 5, 6}, {3, 2, 1, 0, 1, 2}, {2, 2, 5, 5, 6, 7}};

TEST(MeanModel, IsTheMeanOfWorkersOfOneProcess) {
  const OneReplica one;
  const std::vector<SliceState> model = MeanModel(one.replica, {kOwn[0], kOwn[1]}, 0.5f, nullptr);
  ASSERT_EQ(model.size(), 2u);
  EXPECT_EQ(model[0].floats, (Floats{2, 2}));
  EXPECT_EQ(model[1].floats, (Floats{2, 2, 3, 4}));
  EXPECT_EQ(model[1].count, 7);
}

TEST(MeanModel, IsTheSameInAllProcesses) {
  MemoryLinks links(2);
  const OneReplica one;
  const auto share = [&](int rank, const std::vector<std::span<const float>>& own) {
    LinkCollective between(links[rank], LinkCollective::OneNodeEach(2));
    return MeanModel(one.replica, own, 0.25f, &between);
  };
  std::vector<SliceState> second;
  std::thread other([&] { second = share(1, {kOwn[2], kOwn[2]}); });
  const std::vector<SliceState> first = share(0, {kOwn[0], kOwn[1]});
  other.join();
  EXPECT_EQ(first[0].floats, (Floats{2, 2}));
  EXPECT_EQ(first[1].floats, (Floats{3.5f, 3.5f, 4.5f, 5.5f}));
  for (size_t s = 0; s < first.size(); ++s) EXPECT_EQ(first[s].floats, second[s].floats);
}

}  // namespace
}  // namespace singa::mean_model
