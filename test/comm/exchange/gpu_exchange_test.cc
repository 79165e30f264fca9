// Tests regions that go from GPU to GPU.
#include "comm/exchange/gpu_exchange.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <vector>

#include "support/gpu_members.h"

namespace singa {
namespace {

using Floats = std::vector<float>;

Region Whole(const Tensor& tensor) {
  return {.data = const_cast<Tensor&>(tensor).data(), .count = 1, .run = tensor.size()};
}

// Column `column` of a matrix of `columns` columns.
Region Column(const Tensor& tensor, int64_t columns, int64_t column) {
  return {.data = const_cast<Tensor&>(tensor).data() + column,
          .count = tensor.size() / columns,
          .stride = columns,
          .run = 1};
}

class GpuExchangeTest : public GpuMembersTest {
 protected:
  // Each worker sends each other one `floats` floats of each tag.
  static RegionSizes Sizes(int workers, int tags, int64_t floats) {
    return {workers, tags, floats, [floats](int, int, int) { return floats; }};
  }
  static std::unique_ptr<GpuExchange> Joined(MemberOfGpus* member, const RegionSizes& sizes) {
    auto exchange = std::make_unique<GpuExchange>(sizes, member->number(), &member->ctx,
                                                  member->transfers.get());
    exchange->Join(member->group.get(), {});
    return exchange;
  }
};
SINGA_TEST_ON_ALL_GPUS(GpuExchangeTest);

TEST_P(GpuExchangeTest, EachTurnHasItsOwnRegions) {
  RunAll(3, [](MemberOfGpus& me) {
    const auto exchange = Joined(&me, Sizes(3, 2, 5));
    const Tensor got = me.On(Floats(5));
    for (int turn = 0; turn < 6; ++turn) {
      const int tag = turn % 2;
      const Tensor own = me.On(Floats(5, static_cast<float>(10 * turn + me.number())));
      for (int peer = 0; peer < 3; ++peer)
        if (peer != me.number()) exchange->Offer(me.ctx, tag, peer, Whole(own));
      exchange->EndOffers(me.ctx, tag);
      for (int peer = 0; peer < 3; ++peer) {
        if (peer == me.number()) continue;
        exchange->Take(me.ctx, tag, peer, Whole(got), false);
        EXPECT_EQ(me.Read(got), Floats(5, static_cast<float>(10 * turn + peer)));
      }
      exchange->AwaitTaken(tag);
    }
  });
}

TEST_P(GpuExchangeTest, ARegionArrivesInTheReceiversStrides) {
  RunAll(2, [](MemberOfGpus& me) {
    const auto exchange = Joined(&me, Sizes(2, 1, 4));
    const int peer = 1 - me.number();
    Floats values(12);
    std::iota(values.begin(), values.end(), static_cast<float>(100 * me.number()));
    const Tensor own = me.On(values), sum = me.On(Floats(8, 1000));
    exchange->Offer(me.ctx, 0, peer, Column(own, 3, 2));
    exchange->EndOffers(me.ctx, 0);
    exchange->Take(me.ctx, 0, peer, Column(sum, 2, 1), true);
    const auto base = static_cast<float>(1000 + 100 * peer);
    EXPECT_EQ(me.Read(sum),
              (Floats{1000, base + 2, 1000, base + 5, 1000, base + 8, 1000, base + 11}));
  });
}

// Worker 0 alone has something to give, and the others only take.
TEST_P(GpuExchangeTest, AWorkerMayGiveNothing) {
  RunAll(3, [](MemberOfGpus& me) {
    const RegionSizes sizes = {3, 1, 2, [](int, int from, int) { return from == 0 ? 2 : 0; }};
    const auto exchange = Joined(&me, sizes);
    const Tensor values = me.On(Floats(2, me.number() == 0 ? 7.f : 0.f));
    for (int peer = 1; peer < 3 && me.number() == 0; ++peer)
      exchange->Offer(me.ctx, 0, peer, Whole(values));
    exchange->EndOffers(me.ctx, 0);
    if (me.number() > 0) exchange->Take(me.ctx, 0, 0, Whole(values), false);
    exchange->AwaitTaken(0);
    EXPECT_EQ(me.Read(values), Floats(2, 7));
  });
}

TEST_P(GpuExchangeTest, CapturedTransfersMoveTheFloatsOfEachReplay) {
  RunAll(2, [](MemberOfGpus& me) {
    const auto exchange = Joined(&me, Sizes(2, 1, 4));
    const int peer = 1 - me.number();
    const Tensor own = me.On(Floats(12)), got = me.On(Floats(4));
    const auto move = [&] {
      exchange->Offer(me.ctx, 0, peer, Column(own, 3, 0));
      exchange->EndOffers(me.ctx, 0);
      exchange->Take(me.ctx, 0, peer, Whole(got), false);
    };
    move();  // NCCL connects
    me.stream->Wait();
    me.stream->BeginCapture();
    move();
    const auto work = me.stream->EndCapture();
    for (int replay = 0; replay < 3; ++replay) {
      me.memory.Write(Floats(12, static_cast<float>(10 * replay + me.number())).data(),
                      const_cast<Tensor*>(&own));
      me.stream->Replay(*work);
      EXPECT_EQ(me.Read(got), Floats(4, static_cast<float>(10 * replay + peer)));
    }
  });
}

TEST_P(GpuExchangeTest, CountsTheMemoryOfBothDirections) {
  EXPECT_EQ(GpuExchange::Bytes(Sizes(3, 2, 64), 0), 2 * 2 * 2 * 64 * 4);
  const RegionSizes one_way = {2, 1, 10, [](int, int from, int) { return from == 0 ? 10 : 0; }};
  EXPECT_EQ(GpuExchange::Bytes(one_way, 1), 256);
}

}  // namespace
}  // namespace singa
