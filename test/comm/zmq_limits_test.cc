#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/system/descriptor.h"
#include "comm/zmq_ranks.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

TEST(ZmqLimits, AFullQueueRefusesAtOnceAndLosesNothingThatItTook) {
  for (const int from : {0, 1}) {
    Ranks ranks(2);
    ASSERT_TRUE(ranks.Meet());
    const std::string text(100'000, 'x');
    int taken = 0;  // nobody makes room: a blocking send would wait for ever
    while (taken < 100'000 && ranks[from].transport.Send(1 - from, {FrameOf(text)})) ++taken;
    EXPECT_GE(taken, 250);   // the greeting takes one place
    EXPECT_LT(taken, 2000);  // two queues and the kernel's buffers
    auto& arrived = ranks[1 - from].recorder.packets;
    const auto all = [&] { return static_cast<int>(arrived.size()) == taken; };
    EXPECT_TRUE(PollUntil(ranks.Pointers(), all)) << arrived.size() << " of " << taken;
    EXPECT_TRUE(ranks[from].transport.Send(1 - from, {FrameOf(text)}));
  }
}

TEST(ZmqLimits, ASilentPeerStopsNobodyElse) {
  Ranks ranks(3);
  ASSERT_TRUE(ranks.Meet());
  const std::string text(100'000, 'x');
  while (ranks[0].transport.Send(1, {FrameOf(text)})) continue;  // the receiver does not read
  ASSERT_TRUE(ranks[0].transport.Send(2, {FrameOf("go on")}));
  EXPECT_TRUE(
      PollUntil({&ranks[0], &ranks[2]}, [&] { return !ranks[2].recorder.packets.empty(); }));
}

TEST(ZmqLimits, OneThatFloodsLeavesOthersTheirTurn) {
  Ranks ranks(3);
  ASSERT_TRUE(ranks.Meet());
  for (int i = 0; i < 200; ++i) ranks[1].transport.Send(0, {FrameOf("flood")});
  ranks[2].transport.Send(0, {FrameOf("one")});
  auto& arrived = ranks[0].recorder.packets;
  ASSERT_TRUE(PollUntil(ranks.Pointers(), [&] { return arrived.size() == 201; }));
  const Arrived one{2, {"one"}};
  EXPECT_LT(std::find(arrived.begin(), arrived.end(), one) - arrived.begin(), 130);
}

TEST(ZmqLimits, AFrameThatIsTooLargeEndsItsConnectionUnread) {
  for (const Security security : {Security::kAuto, Security::kCurve}) {
    const JobSecrets secrets = JobSecrets::Make(2);
    ZmqRank strict(OptionsOf(0, secrets, security));
    ZmqOptions lax = OptionsOf(1, secrets, security);
    lax.settings.max_frame_bytes = -1;
    ZmqRank sender(lax);
    sender.transport.Connect(0, strict.transport.endpoint());
    const auto connected = [&] { return sender.transport.connected(0); };
    ASSERT_TRUE(PollUntil({&strict, &sender}, connected));
    const int64_t allowed = SocketSettings().max_frame_bytes;
    const std::string most(allowed - 64, 'x');  // CURVE adds bytes of its own
    ASSERT_TRUE(sender.transport.Send(0, {FrameOf(most)}));
    ASSERT_TRUE(PollUntil({&strict, &sender}, [&] { return !strict.recorder.packets.empty(); }));
    ASSERT_TRUE(sender.transport.Send(0, {FrameOf(std::string(allowed + 1, 'x'))}));
    ASSERT_TRUE(PollUntil({&strict, &sender}, [&] { return !connected(); }));
    ASSERT_TRUE(PollUntil({&strict, &sender}, connected));
    EXPECT_EQ(strict.recorder.packets.size(), 1u);
    EXPECT_EQ(strict.recorder.connected, (std::vector{1, 1}));
  }
}

TEST(ZmqLimits, WhoKeepsSendingTooManyFramesIsNoLongerHeard) {
  for (const int from : {0, 1}) {
    Ranks ranks(2);
    ASSERT_TRUE(ranks.Meet());
    ZmqTransport& sender = ranks[from].transport;
    const Packet many(4097, FrameOf("x")), most(4096, FrameOf("x"));
    ASSERT_TRUE(sender.Send(1 - from, most));
    ZmqRank& other = ranks[1 - from];
    auto& arrived = other.recorder.packets;
    ASSERT_TRUE(PollUntil(ranks.Pointers(), [&] { return arrived.size() == 1; }));
    EXPECT_EQ(arrived[0].frames.size(), 4096u);
    ASSERT_TRUE(sender.Send(1 - from, many));
    ASSERT_TRUE(sender.Send(1 - from, {FrameOf("still heard")}));
    ASSERT_TRUE(PollUntil(ranks.Pointers(), [&] { return arrived.size() == 2; }));
    for (int i = 0; i < 15; ++i) ASSERT_TRUE(sender.Send(1 - from, many));
    sender.Send(1 - from, {FrameOf("too late")});
    ASSERT_TRUE(
        PollUntil(ranks.Pointers(), [&] { return other.transport.counts().dropped >= 16; }));
    EXPECT_FALSE(PollUntil(
        ranks.Pointers(), [&] { return arrived.size() > 2; }, 300));
    EXPECT_FALSE(other.transport.connected(from));
  }
}

TEST(ZmqLimits, WakeEndsAPoll) {
  Ranks ranks(1);
  std::atomic<bool> polled = false;
  std::thread other([&] {
    while (!polled) {
      ranks[0].transport.Wake();
      std::this_thread::yield();
    }
  });
  const int64_t start = RealClock().Now();
  ranks[0].Poll(120'000);
  polled = true;
  other.join();
  EXPECT_LT(RealClock().Now() - start, 60'000 * kMs);
  ranks[0].transport.Wake();  // a wake before the wait ends the wait
  ranks[0].Poll(120'000);
  EXPECT_LT(RealClock().Now() - start, 60'000 * kMs);
}

TEST(ZmqLimits, APollEndsInTime) {
  Ranks ranks(2);
  ASSERT_TRUE(ranks.Meet());
  PollUntil(
      ranks.Pointers(), [] { return false; }, 50);
  const int64_t start = RealClock().Now();
  ranks[0].Poll(100);
  EXPECT_GE(RealClock().Now() - start, 100 * kMs);
  EXPECT_LT(RealClock().Now() - start, 60'000 * kMs);
}

TEST(ZmqLimits, APacketIsLetGoWhenItIsSent) {
  Ranks ranks(2);
  ASSERT_TRUE(ranks.Meet());
  const auto floats = std::make_shared<std::vector<float>>(100'000, 1.5f);
  ASSERT_TRUE(ranks[1].transport.Send(0, {Frame(floats, floats->data(), 400'000)}));
  ASSERT_TRUE(PollUntil(ranks.Pointers(), [&] { return ranks[0].recorder.packets.size() == 1; }));
  EXPECT_TRUE(PollUntil(ranks.Pointers(), [&] { return floats.use_count() == 1; }));
  EXPECT_EQ(ranks[0].recorder.packets[0].frames[0].compare(
                0, std::string::npos, reinterpret_cast<const char*>(floats->data()), 400'000),
            0);
}

class Alignment final : public TransportEvents {
 public:
  void OnPacket(int, Packet packet) override {
    for (const Frame& frame : packet)
      aligned &= reinterpret_cast<uintptr_t>(frame.data()) % alignof(float) == 0;
    ++packets;
  }
  void OnConnected(int) override {}
  bool aligned = true;
  int packets = 0;
};

TEST(ZmqLimits, FloatsArriveAligned) {
  Ranks ranks(2);
  ASSERT_TRUE(ranks.Meet());
  Alignment alignment;
  for (size_t size = 1; size < 5000; size += 61)
    ASSERT_TRUE(ranks[1].transport.Send(0, {FrameOf(std::string(size, 'x')), FrameOf("12345678")}));
  const int64_t end = RealClock().Now() + 60'000 * kMs;
  while (alignment.packets < 82 && RealClock().Now() < end)
    ranks[0].transport.Poll(RealClock().Now() + kMs, &alignment);
  EXPECT_EQ(alignment.packets, 82);
  EXPECT_TRUE(alignment.aligned);
}

class ZmqBindTest : public testing::Test {
 protected:
  void Bind(const Endpoint& endpoint, const std::string& advertise = "") {
    ZmqOptions options = OptionsOf(0, JobSecrets::Make(1));
    options.bind = endpoint;
    options.advertise = advertise;
    ZmqRank rank(options);
    bound_ = rank.transport.endpoint();
  }
  Endpoint bound_;
};

TEST_F(ZmqBindTest, TheSystemChoosesAPort) {
  Bind({"127.0.0.1", 0});
  EXPECT_EQ(bound_.host, "127.0.0.1");
  EXPECT_GT(bound_.port, 0);
  Bind({"lo", 0});
  EXPECT_EQ(bound_.host, "127.0.0.1");
}

TEST_F(ZmqBindTest, SaysWhatIsWrongWithAnEndpoint) {
  Ranks other(1);
  const Endpoint taken = other[0].transport.endpoint();
  EXPECT_ERROR(Bind(taken), kExitCantCreate, ToString(taken), "the port is in use");
  EXPECT_ERROR(Bind({"192.0.2.1", 0}), kExitConfig, "no address of this machine");
  EXPECT_ERROR(Bind({"no-such-host.invalid", 0}), kExitConfig, "no address is known");
  EXPECT_ERROR(Bind({"*", 0}), kExitConfig, "0.0.0.0", "name the one that the other processes");
}

TEST_F(ZmqBindTest, AllAddressesNeedOneToTell) {
  Bind({"*", 0}, "localhost");
  EXPECT_EQ(bound_.host, "127.0.0.1");
}

TEST(ZmqSecurity, KeysAreTheDefaultOffLoopback) {
  EXPECT_FALSE(NeedsCurve(Security::kAuto, {"127.0.0.1", 1}));
  EXPECT_FALSE(NeedsCurve(Security::kAuto, {"::1", 1}));
  EXPECT_TRUE(NeedsCurve(Security::kAuto, {"10.0.0.1", 1}));
  EXPECT_TRUE(NeedsCurve(Security::kAuto, {"fe80::1", 1}));
  EXPECT_TRUE(NeedsCurve(Security::kCurve, {"127.0.0.1", 1}));
  EXPECT_FALSE(NeedsCurve(Security::kInsecure, {"10.0.0.1", 1}));
}

TEST(ZmqSecurity, MissingSecretsAreAnError) {
  const JobSecrets secrets = JobSecrets::Make(2);
  ZmqOptions options = OptionsOf(0, secrets);
  options.secrets = secrets.ForRank(1);
  EXPECT_ERROR(ZmqRank{options}, kExitNoPermission, "secret key of process 0 is missing");
  options.secrets = JobSecrets::Make(3);
  EXPECT_ERROR(ZmqRank{options}, kExitNoPermission, "keys for 3 processes, and the job has 2");
  options.secrets = {};
  EXPECT_ERROR(ZmqRank{options}, kExitNoPermission, "token is missing");
}

// Expects this error text of a transport in a process that may have `files` files open.
void ExpectTold(rlim_t files, const char* text) {
  const rlimit few{files, files};
  const pid_t child = fork();  // a hard limit cannot be raised again
  if (child == 0) {
    bool told = false;
    if (setrlimit(RLIMIT_NOFILE, &few) == 0) try {
        Ranks ranks(2);
      } catch (const Error& error) {
        told = error.code() == kExitCantCreate &&
               std::string(error.what()).find(text) != std::string::npos;
      }
    _exit(told ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ZmqFiles, TooFewOpenFilesAreTold) { ExpectTold(64, "its limit (RLIMIT_NOFILE) is 64"); }

TEST(ZmqFiles, OneThatCannotBeOpenedIsTold) {
  const Descriptor next(dup(STDERR_FILENO));
  ASSERT_GE(next.get(), 0);
  ExpectTold(next.get() + 1, "cannot make an eventfd: Too many open files");
}

TEST(ZmqFiles, AContextThatCannotBeMadeIsTold) {
#ifdef SINGA_SANITIZED
  GTEST_SKIP() << "the sanitizer looks at memory through a pipe, for which no descriptors are left";
#endif
  const Descriptor next(dup(STDERR_FILENO));
  ASSERT_GE(next.get(), 0);
  ExpectTold(next.get() + 2, "cannot make sockets: Too many open files");
}

}  // namespace
}  // namespace singa
