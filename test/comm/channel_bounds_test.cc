// Tests that a long run with faults holds no more memory at its end than at its beginning.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "support/sim_channel.h"

namespace singa {
namespace {

#ifdef SINGA_SANITIZED
constexpr int64_t kMessages = 100'000;
#else
constexpr int64_t kMessages = 1'000'000;
#endif
constexpr size_t kPayload = 64;

int64_t living = 0;  // payloads that somebody still holds

Frame CountedFrame() {
  ++living;
  auto* const bytes = new char[kPayload]();
  return Frame(std::shared_ptr<const void>(bytes,
                                           [](const void* data) {
                                             --living;
                                             delete[] static_cast<const char*>(data);
                                           }),
               bytes, kPayload);
}

// Rank 0 sends as much as the channel takes. Rank 1 counts the messages.
struct MessageFlow final : SimChannelProcess {
  MessageFlow(const SimStart& start, const ChannelOptions& options)
      : SimChannelProcess(start, options),
        sends(start.rank == 0),
        window(options.window_messages) {}

  int64_t OnTime() override {
    for (; sends && number < kMessages && channel.Queued(1) <= window; ++number) {
      Message message;
      message.head.set_step(number);
      message.payload = {CountedFrame()};
      channel.Send(1, std::move(message));
    }
    most_living = std::max(most_living, living);
    most_queued = std::max(most_queued, channel.Queued(1));
    return channel.OnTime();
  }
  void OnMessage(int, Message message) override {
    in_order = in_order && message.head.step() == number;
    ++number;
  }

  const bool sends;
  const int64_t window;
  bool in_order = true;
  int64_t number = 0;  // sent or received
  int64_t most_living = 0, most_queued = 0;
};

TEST(ChannelBoundsTest, ManyMessagesWithLossNeedNoMoreThanTheWindow) {
  ChannelOptions options;
  options.window_messages = 256;
  options.give_up = 0;
  const SimFaults faults{.drop = 0.002, .duplicate = 0.002, .flip = 0.001, .late = 0.001};
  int64_t most_under_way = 0;
  {
    SimNetwork network(1, 2, faults, [&](const SimStart& start) {
      return std::make_unique<MessageFlow>(start, options);
    });
    network.StartAll();
    const auto& from = static_cast<const MessageFlow&>(*network.process(0));
    const auto& to = static_cast<const MessageFlow&>(*network.process(1));
    const auto done = [&] {
      most_under_way = std::max(most_under_way, network.under_way());
      return to.number == kMessages && from.channel.Quiet();
    };
    ASSERT_TRUE(network.RunUntil(done, INT64_MAX));
    EXPECT_TRUE(to.in_order);
    EXPECT_GT(from.channel.counters().resent, kMessages / 1000);
    EXPECT_GT(to.channel.counters().out_of_order, kMessages / 1000);
    EXPECT_LE(from.most_queued, options.window_messages + 1);
    EXPECT_LE(to.most_queued, 0);
    // The network still carries payloads, each twice, while the next ones are under way.
    EXPECT_LE(from.most_living, 8 * options.window_messages);
  }
  EXPECT_LE(most_under_way, 8 * options.window_messages);
  EXPECT_EQ(living, 0);
}

}  // namespace
}  // namespace singa
