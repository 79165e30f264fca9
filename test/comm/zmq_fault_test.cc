// Tests processes that are killed, started again, stopped and continued.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "comm/zmq_ranks.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    CloseWrite();
  }
  // The other process alone writes from now on. Read fails at once if it ends.
  void CloseWrite() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  void Write(int number) { EXPECT_EQ(write(ends_[1], &number, sizeof(number)), 4); }
  int Read() {
    int number = -1;
    EXPECT_EQ(read(ends_[0], &number, sizeof(number)), 4);
    return number;
  }

 private:
  int ends_[2];
};

// Process is the process of rank `rank` of two, forked before this one has threads. It starts when
// it gets a port: rank 0 listens there, rank 1 connects there. It tells its port, then sends "NAME
// I" to the other for ever.
class Process {
 public:
  Process(int rank, const std::string& name, const JobSecrets& secrets, Security security)
      : secrets_(SecretsToDescriptor(secrets.ForRank(rank))) {
    pid_ = fork();
    if (pid_ != 0) {
      says_.CloseWrite();
      return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      Run(rank, name, security);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    says_.Write(-1);
    _exit(1);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    close(secrets_);
    Kill();
  }
  int Start(int port) {
    told_.Write(port);
    return says_.Read();
  }
  void Signal(int signal) { EXPECT_EQ(kill(pid_, signal), 0); }
  // Kills the process. Then its port is free.
  void Kill() {
    if (pid_ <= 0) return;
    Signal(SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  void Run(int rank, const std::string& name, Security security) {
    const int port = told_.Read();
    ZmqOptions options = OptionsOf(rank, ReadSecretsDescriptor(secrets_), security);
    if (rank == 0) options.bind.port = port;
    ZmqRank own(options);
    if (rank == 1) own.transport.Connect(0, {"127.0.0.1", port});
    says_.Write(own.transport.endpoint().port);
    for (int i = 0;; ++i) {
      own.transport.Send(1 - rank, {FrameOf(StrCat(name, " ", i))});
      own.Poll(10);
    }
  }

  Pipe told_, says_;
  int secrets_;
  pid_t pid_ = -1;
};

bool HeardFrom(const ZmqRank& rank, const std::string& name) {
  const auto& packets = rank.recorder.packets;
  return std::any_of(packets.begin(), packets.end(), [&](const Arrived& arrived) {
    return arrived.frames[0].compare(0, name.size() + 1, name + " ") == 0;
  });
}

class ZmqFaultTest : public testing::TestWithParam<Security> {
 protected:
  const JobSecrets secrets_ = JobSecrets::Make(2);
};
INSTANTIATE_TEST_SUITE_P(All, ZmqFaultTest, testing::Values(Security::kAuto, Security::kCurve));

TEST_P(ZmqFaultTest, AKilledClientIsReplaced) {
  Process first(1, "first", secrets_, GetParam()), second(1, "second", secrets_, GetParam());
  ZmqRank own(OptionsOf(0, secrets_, GetParam()));
  const int port = own.transport.endpoint().port;
  first.Start(port);
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "first"); }));
  first.Kill();
  second.Start(port);
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "second"); }));
  EXPECT_TRUE(own.transport.Send(1, {FrameOf("welcome back")}));
  EXPECT_EQ(own.recorder.connected, (std::vector{1, 1}));
}

TEST_P(ZmqFaultTest, AKilledServerIsFoundAgain) {
  Process first(0, "first", secrets_, GetParam()), second(0, "second", secrets_, GetParam());
  ZmqRank own(OptionsOf(1, secrets_, GetParam()));
  const int port = first.Start(0);
  own.transport.Connect(0, {"127.0.0.1", port});
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "first"); }));
  first.Kill();
  ASSERT_TRUE(PollUntil({&own}, [&] { return !own.transport.connected(0); }));
  EXPECT_FALSE(own.transport.Send(0, {FrameOf("into the void")}));
  ASSERT_EQ(second.Start(port), port);
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "second"); }));
  EXPECT_EQ(own.recorder.connected, (std::vector{0, 0}));
}

TEST_P(ZmqFaultTest, AServerThatStartsAgainElsewhereIsFoundThere) {
  Process first(0, "first", secrets_, GetParam()), second(0, "second", secrets_, GetParam());
  ZmqRank own(OptionsOf(1, secrets_, GetParam()));
  own.transport.Connect(0, {"127.0.0.1", first.Start(0)});
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "first"); }));
  own.transport.Connect(0, {"127.0.0.1", second.Start(0)});  // the first one still runs
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "second"); }));
}

// A process that hangs does not lock its successor out, and is not heard when it runs on.
TEST_P(ZmqFaultTest, AStoppedProcessThatIsReplacedIsNotHeardAgain) {
  Process first(1, "first", secrets_, GetParam()), second(1, "second", secrets_, GetParam());
  ZmqRank own(OptionsOf(0, secrets_, GetParam()));
  const int port = own.transport.endpoint().port;
  first.Start(port);
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "first"); }));
  first.Signal(SIGSTOP);
  second.Start(port);
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "second"); }));
  own.recorder.packets.clear();
  first.Signal(SIGCONT);
  ASSERT_TRUE(PollUntil({&own}, [&] { return own.transport.counts().dropped >= 10; }));
  EXPECT_FALSE(HeardFrom(own, "first"));
  EXPECT_TRUE(HeardFrom(own, "second"));
}

// The kernel reports no stopped server, as when a cable is cut. Heartbeats do.
TEST_P(ZmqFaultTest, AStoppedServerIsNoticedByItsSilence) {
  Process first(0, "first", secrets_, GetParam());
  ZmqOptions options = OptionsOf(1, secrets_, GetParam());
  options.settings.heartbeat_ms = 100;
  options.settings.silent_ms = 400;
  ZmqRank own(options);
  own.transport.Connect(0, {"127.0.0.1", first.Start(0)});
  ASSERT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "first"); }));
  first.Signal(SIGSTOP);
  ASSERT_TRUE(PollUntil({&own}, [&] { return !own.transport.connected(0); }));
  own.recorder.packets.clear();
  first.Signal(SIGCONT);
  EXPECT_TRUE(PollUntil({&own}, [&] { return HeardFrom(own, "first"); }));
}

}  // namespace
}  // namespace singa
