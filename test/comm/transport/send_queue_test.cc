#include "comm/transport/send_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/comm/link_listener.h"

namespace singa {
namespace {

// Transmits all entries that may be sent. Returns their numbers.
std::vector<int64_t> Transmit(SendQueue* queue) {
  std::vector<int64_t> numbers;
  while (SendQueue::Entry* entry = queue->Next()) {
    EXPECT_EQ(static_cast<uint64_t>(entry->header.message().step()), entry->header.seq());
    numbers.push_back(entry->header.message().step());
    queue->Advance();
  }
  return numbers;
}

SendQueue Filled(int64_t messages, int64_t window_messages, int64_t window_bytes,
                 const std::string& payload = "") {
  SendQueue queue(window_messages, window_bytes);
  for (int64_t n = 1; n <= messages; ++n) queue.Push(Numbered(n, payload));
  return queue;
}

TEST(SendQueueTest, TheWindowMovesAsMessagesAreAcknowledged) {
  SendQueue queue = Filled(10, 4, 1 << 20);
  EXPECT_EQ(Transmit(&queue), Range(1, 4));
  EXPECT_EQ(queue.Acknowledge(3), 3);
  EXPECT_EQ(Transmit(&queue), Range(5, 7));
  EXPECT_EQ(queue.Acknowledge(3), 0);
  EXPECT_EQ(queue.Acknowledge(2), 0);
  EXPECT_EQ(Transmit(&queue), Range(1, 0));
  EXPECT_EQ(queue.messages(), 7);
}

TEST(SendQueueTest, BytesUnderWayAreBoundedAlsoAfterARewind) {
  SendQueue queue = Filled(10, 100, 1000, std::string(300, 'x'));
  EXPECT_EQ(Transmit(&queue), Range(1, 3));
  for (int again = 0; again < 3; ++again) {
    queue.Rewind(/*probe=*/false);
    EXPECT_EQ(Transmit(&queue), Range(1, 3));
  }
  EXPECT_EQ(queue.Acknowledge(2), 2);
  EXPECT_EQ(Transmit(&queue), Range(4, 5));
  queue.Acknowledge(5);
  EXPECT_EQ(Transmit(&queue), Range(6, 8));
}

TEST(SendQueueTest, WhatWasNotTransmittedCannotBeAcknowledged) {
  SendQueue queue = Filled(10, 4, 1 << 20);
  EXPECT_EQ(queue.Acknowledge(1), -1);
  Transmit(&queue);
  EXPECT_EQ(queue.Acknowledge(5), -1);
  EXPECT_EQ(queue.Acknowledge(UINT64_MAX), -1);
  EXPECT_EQ(queue.messages(), 10);
  EXPECT_EQ(queue.Acknowledge(4), 4);
}

TEST(SendQueueTest, AProbeGrowsWithEachAcknowledgement) {
  SendQueue queue = Filled(30, 8, 1 << 20);
  EXPECT_EQ(Transmit(&queue), Range(1, 8));
  queue.Rewind(/*probe=*/true);
  EXPECT_EQ(Transmit(&queue), Range(1, 1));
  queue.Acknowledge(1);
  EXPECT_EQ(Transmit(&queue), Range(2, 3));
  queue.Acknowledge(3);
  EXPECT_EQ(Transmit(&queue), Range(4, 7));
  queue.Acknowledge(7);
  EXPECT_EQ(Transmit(&queue), Range(8, 15));
  queue.Acknowledge(15);
  EXPECT_EQ(Transmit(&queue), Range(16, 23)) << "the window";
}

// All entries had arrived, and only the acknowledgement was lost.
TEST(SendQueueTest, WhatIsAcknowledgedWhileProbingIsNotSentAgain) {
  SendQueue queue = Filled(12, 8, 1 << 20);
  Transmit(&queue);
  queue.Rewind(/*probe=*/true);
  EXPECT_EQ(Transmit(&queue), Range(1, 1));
  EXPECT_EQ(queue.Acknowledge(8), 8);
  EXPECT_FALSE(queue.resending());
  EXPECT_EQ(Transmit(&queue), Range(9, 10));
}

TEST(SendQueueTest, WhatIsSentAgainIsKnownAsThat) {
  SendQueue queue = Filled(2, 8, 1 << 20);
  EXPECT_FALSE(queue.resending());
  queue.Advance();
  queue.Rewind(/*probe=*/false);
  EXPECT_TRUE(queue.resending());
  queue.Advance();
  EXPECT_FALSE(queue.resending());
}

TEST(SendQueueTest, AfterClearNumbersBeginAgain) {
  SendQueue queue = Filled(10, 4, 1 << 20);
  Transmit(&queue);
  queue.Acknowledge(2);
  queue.Clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0);
  queue.Push(Numbered(1));
  EXPECT_EQ(queue.Acknowledge(1), -1);
  EXPECT_EQ(Transmit(&queue), Range(1, 1));
}

}  // namespace
}  // namespace singa
