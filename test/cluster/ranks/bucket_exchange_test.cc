// Tests the order of exchanges, and what waits for them.
#include "cluster/ranks/bucket_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "base/thread/stopped.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa::bucket_exchange {
namespace {

using Done = std::pair<int64_t, int>;  // step, first slice of the bucket

// Three params of one slice each; each is a bucket.
struct ThreeBuckets {
  explicit ThreeBuckets(std::vector<bool> waits = {true, true, true}, int64_t first_step = 0)
      : exchange(
            {.table = table,
             .buckets = {{2}, {1}, {0}},
             .waits = std::move(waits),
             .first_step = first_step,
             .exchange = [this](int64_t step, int64_t number,
                                const std::vector<int>& bucket) { Note(step, number, bucket); },
             .released =
                 [this](int64_t, int64_t number, const std::vector<int>& bucket) {
                   if (number == failing_number) throw PeerError("a process is gone");
                   sent.emplace_back(number, bucket[0]);
                   senders.push_back(std::this_thread::get_id());
                 },
             .deadline = &deadline,
             .fresh = [this](int slice, int64_t step) { fresh.emplace_back(step, slice); }}) {
    exchange.Start();
  }
  ~ThreeBuckets() { exchange.Stop(); }
  void Note(int64_t step, int64_t number, const std::vector<int>& bucket) {
    done.emplace_back(step, bucket[0]);
    numbers.push_back(number);
    if (step == failing) throw PeerError("a process is gone");
    exchange.MarkFresh(step, bucket);
  }
  void ReleaseAll(int64_t step) {
    exchange.Release(step, [](int) { return true; });
  }

  const SliceTable table{{{3}, {2}, {4}}};
  const ProgressDeadline deadline{std::chrono::milliseconds(30'000)};  // for a test that fails
  int64_t failing = -1, failing_number = -1;
  std::vector<Done> sent;  // number, first slice of the bucket
  std::vector<std::thread::id> senders;
  std::vector<Done> done;
  std::vector<Done> fresh;  // step, slice
  std::vector<int64_t> numbers;
  BucketExchange exchange;
};

TEST(BucketExchange, LaterBucketsWaitForEarlierOnes) {
  ThreeBuckets three;
  three.exchange.Release(0, 0);
  three.exchange.Release(1, 0);
  three.exchange.Release(2, 0);
  three.exchange.AwaitExchanged(0);
  EXPECT_EQ(three.done, (std::vector<Done>{{0, 2}, {0, 1}, {0, 0}}));
  EXPECT_EQ(three.numbers, (std::vector<int64_t>{0, 1, 2}));
}

// The gradients are on their way before the thread that exchanges them gets a core.
TEST(BucketExchange, TheThreadThatCompletesABucketSendsIt) {
  ThreeBuckets three({true, false, true}, 2);
  three.exchange.Release(0, 2);
  EXPECT_EQ(three.sent, (std::vector<Done>{{8, 0}})) << "although bucket 2 comes first";
  three.exchange.Release(1, 2);
  EXPECT_EQ(three.sent.size(), 1u) << "this process has no part in bucket 1";
  three.exchange.Release(2, 2);
  EXPECT_EQ(three.sent.back(), Done(6, 2));
  three.exchange.AwaitExchanged(2);
  EXPECT_EQ(three.numbers, (std::vector<int64_t>{6, 7, 8})) << "the same numbers";
  for (const std::thread::id id : three.senders) EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(BucketExchange, AThreadThatWaitsExchangesIfNoOtherDoes) {
  const SliceTable table(std::vector<Shape>{{3}, {2}});
  const ProgressDeadline deadline(std::chrono::milliseconds(30'000));
  std::vector<std::string> log;
  const auto note = [&](const char* what) {
    return [&log, what](int64_t step, int64_t, const std::vector<int>& bucket) {
      log.push_back(StrCat(what, " ", bucket[0], " of step ", step));
    };
  };
  BucketExchange exchange({.table = table,
                           .buckets = {{1}, {0}},
                           .waits = {true, true},
                           .exchange = note("exchange"),
                           .begin = note("begin"),
                           .released = note("send"),
                           .deadline = &deadline});
  exchange.Release(1, 0);
  EXPECT_TRUE(log.empty());
  exchange.Release(0, 0);
  exchange.AwaitExchanged(0);
  EXPECT_EQ(log, (std::vector<std::string>{"send 1 of step 0", "send 0 of step 0",
                                           "begin 1 of step 0", "begin 0 of step 0",
                                           "exchange 1 of step 0", "exchange 0 of step 0"}))
      << "others wait for what begins here";
}

TEST(BucketExchange, ABucketDoesNotWaitForTheBeginningOfTheNext) {
  ThreeBuckets three;
  three.exchange.Release(2, 0);
  three.exchange.AwaitFresh(2, 3, 1);
  EXPECT_EQ(three.done, (std::vector<Done>{{0, 2}}));
}

TEST(BucketExchange, AnErrorOfASenderReachesAllWhoWait) {
  ThreeBuckets three;
  three.failing_number = 0;
  three.ReleaseAll(0);
  EXPECT_THROW(three.exchange.Check(), PeerError);
  EXPECT_THROW(three.exchange.AwaitFresh(1), PeerError);
}

TEST(BucketExchange, TellsOfEachSliceThatIsFresh) {
  ThreeBuckets three;
  three.ReleaseAll(0);
  three.exchange.AwaitExchanged(0);
  EXPECT_EQ(three.fresh, (std::vector<Done>{{0, 2}, {0, 1}, {0, 0}}));
}

TEST(BucketExchange, ABucketOfWhichNothingIsHereDoesNotWait) {
  ThreeBuckets three({true, false, false}, 5);
  three.exchange.AwaitFresh(1, 3, 6);
  three.exchange.Release(0, 5);
  three.exchange.AwaitFresh(6);
  three.exchange.Stop();
  EXPECT_EQ(three.done[2], Done(5, 0));
}

// Columns of zeros are renewed by these numbers (low_rank_sums.h).
TEST(BucketExchange, AJobThatResumesGoesOnWithTheNumbers) {
  ThreeBuckets three({true, true, true}, 5);
  three.ReleaseAll(5);
  three.exchange.AwaitExchanged(5);
  EXPECT_EQ(three.numbers, (std::vector<int64_t>{15, 16, 17}));
}

TEST(BucketExchange, ADroppedStepHasNoExchange) {
  ThreeBuckets three;
  three.exchange.Drop(0);
  three.exchange.AwaitFresh(1);
  three.ReleaseAll(1);
  three.exchange.AwaitExchanged(1);
  EXPECT_EQ(three.done.front(), Done(1, 2));
  EXPECT_EQ(three.numbers.front(), 3) << "as in all processes";
}

TEST(BucketExchange, ReleasesOfADroppedStepDoNotCount) {
  SliceTable table(std::vector<Shape>{{3}, {2}});
  const ProgressDeadline deadline(std::chrono::milliseconds(30'000));
  std::vector<int64_t> sent;
  BucketExchange exchange({.table = table,
                           .buckets = {{0, 1}},
                           .waits = {true, true},
                           .exchange = [](int64_t, int64_t, const std::vector<int>&) {},
                           .released = [&](int64_t, int64_t number,
                                           const std::vector<int>&) { sent.push_back(number); },
                           .deadline = &deadline});
  exchange.Start();
  exchange.Release(0, 0);
  exchange.Drop(0);
  exchange.Release(1, 1);
  EXPECT_TRUE(sent.empty()) << "slice 0 is not there yet";
  exchange.Release(0, 1);
  exchange.AwaitExchanged(1);
  EXPECT_EQ(sent, std::vector<int64_t>{1});
  exchange.Stop();
}

TEST(BucketExchange, AnErrorReachesAllWhoWait) {
  ThreeBuckets three;
  three.failing = 1;
  three.ReleaseAll(0);
  three.exchange.AwaitFresh(1);
  auto waits = std::async(std::launch::async, [&] { three.exchange.AwaitFresh(0, 1, 2); });
  three.ReleaseAll(1);
  EXPECT_THROW(waits.get(), PeerError);
  EXPECT_THROW(three.exchange.Check(), PeerError);
  EXPECT_THROW(three.exchange.AwaitExchanged(7), PeerError);
}

TEST(BucketExchange, StopEndsTheThreadAndTheWaits) {
  ThreeBuckets three;
  three.exchange.Check();
  three.exchange.Stop();
  EXPECT_THROW(three.exchange.AwaitFresh(1), Stopped);
  EXPECT_TRUE(three.done.empty());
}

TEST(BucketExchange, WaitsEndAtTheDeadline) {
  const ProgressDeadline soon(std::chrono::milliseconds(1));
  BucketExchange exchange({.table = SliceTable(std::vector<Shape>{{3}}),
                           .buckets = {{0}},
                           .waits = {true},
                           .exchange = [](int64_t, int64_t, const std::vector<int>&) {},
                           .deadline = &soon});
  try {
    exchange.AwaitFresh(1);
    FAIL() << "nobody has released anything";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitStalled);
  }
}

}  // namespace
}  // namespace singa::bucket_exchange
