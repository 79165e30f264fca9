// Tests signals for a supervised job.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "driver/launch/child_process.h"
#include "driver/launch/stop_signals.h"
#include "driver/launch/supervisor.h"
#include "singa/base/error.h"
#include "support/driver/supervised_job.h"

namespace singa {
namespace {

// StoppedClock moves only when a test moves it.
class StoppedClock final : public Clock {
 public:
  int64_t Now() const override { return now; }
  std::atomic<int64_t> now{0};
};

class StopTest : public SupervisedJob {
 protected:
  StopTest() { options_.clock = &clock_; }

  // Runs the job while another thread does `meanwhile`.
  ExitCode RunWith(const std::vector<std::string>& orders, const std::function<void()>& meanwhile) {
    std::thread other(meanwhile);
    ExitCode code = kExitBug;
    try {
      code = Run(orders);
    } catch (...) {
      other.join();
      throw;
    }
    other.join();
    return code;
  }
  // Sends a signal to the supervisor, which is this process.
  static void Send(int signal) { kill(getpid(), signal); }

  StoppedClock clock_;
};

TEST_F(StopTest, RankZeroAloneGetsTheSignal) {
  for (const auto& [signal, code] :
       {std::pair{SIGTERM, kExitTerminated}, {SIGINT, kExitInterrupted}}) {
    const auto meanwhile = [&, sent = signal] {
      Await("said");
      Send(sent);
    };
    const int before = Count("signal");
    EXPECT_EQ(RunWith({StrCat("0/", Count("start 0"), "=gather+say+stop"),
                       StrCat("1/", Count("start 0"), "=stop")},
                      meanwhile),
              code);
    EXPECT_EQ(Count("signal"), before + 1);
    EXPECT_EQ(Count(StrCat("signal 0 ", signal)), 1);
  }
}

TEST_F(StopTest, ASecondInterruptKillsAll) {
  EXPECT_EQ(RunWith({"0/0=stop:9"},
                    [this] {
                      Await("0.0");
                      Send(SIGINT);
                      Await("signal");
                      clock_.now = kOneRequest;
                      Send(SIGINT);
                    }),
            kExitInterrupted);
  EXPECT_EQ(Count("signal 0"), 1);
  for (const Start& start : Starts()) EXPECT_TRUE(Ends(start.pid));
}

TEST_F(StopTest, AnInterruptThatComesTwiceIsOne) {
  EXPECT_EQ(RunWith({"0/0=stop:1"},
                    [this] {
                      Await("0.0");
                      Send(SIGINT);
                      Await("signal");
                      clock_.now = kOneRequest - 1;
                      Send(SIGINT);
                      Send(SIGTERM);
                    }),
            kExitTerminated);
  EXPECT_EQ(Count("signal 0"), 2);
}

TEST_F(StopTest, ASecondTerminateIsForRankZeroToo) {
  EXPECT_EQ(RunWith({"0/0=stop:1"},
                    [this] {
                      Await("0.0");
                      Send(SIGTERM);
                      Await("signal");
                      Send(SIGTERM);
                    }),
            kExitTerminated);
  EXPECT_EQ(Count("signal 0"), 2);
}

TEST_F(StopTest, RankZeroMayDieOfTheSignalBeforeItTakesAny) {
  EXPECT_EQ(RunWith({"0/0=mute+young+say"},
                    [this] {
                      Await("said");
                      Send(SIGTERM);
                    }),
            kExitTerminated);
}

TEST_F(StopTest, WhoHasNotMetRankZeroDoesNotOutliveIt) {
  options_.end_timeout = std::chrono::seconds(100);
  EXPECT_EQ(RunWith({"0/0=say+stop"},
                    [this] {
                      Await("1.0");
                      Send(SIGTERM);
                    }),
            kExitTerminated);
}

TEST_F(StopTest, OthersThatDoNotEndAfterAStoppedJobAreKilledEarly) {
  options_.end_timeout = std::chrono::seconds(1000);  // longer than a test may take
  EXPECT_EQ(RunWith({"0/0=gather+say+stop"},
                    [this] {
                      Await("said");
                      Send(SIGTERM);
                    }),
            kExitTerminated);
}

TEST_F(StopTest, AnotherProcessThatWasAskedToEndEndsTheJob) {
  EXPECT_EQ(Run({"1/0=exit:143"}), kExitTerminated);
  EXPECT_EQ(Count("start 0"), 1);
}

// A user who stops a job may send the signal to each of its processes.
TEST_F(StopTest, AnotherProcessMayTakeTheSignalAsWell) {
  EXPECT_EQ(RunWith({"0/0=gather+say+stop:1", "1/0=stop"},
                    [this] {
                      Await("said");
                      Send(SIGTERM);
                      Await("signal");
                      const pid_t other = PidOf(1);
                      kill(other, SIGTERM);
                      Ends(other);
                      Send(SIGTERM);
                    }),
            kExitTerminated);
  EXPECT_EQ(Count("start 0"), 1);
}

TEST_F(StopTest, NothingIsRestartedOnceAStopWasAskedFor) {
  EXPECT_ERROR(RunWith({"0/0=gather+say+stop:9"},
                       [this] {
                         Await("said");
                         Send(SIGTERM);
                         Await("signal");
                         kill(PidOf(2), SIGKILL);
                       }),
               kExitPeerLost, "process 2 was lost (signal 9) while the job was to end");
  EXPECT_EQ(Count("start 0"), 1);
}

TEST_F(StopTest, SignalsDoAfterwardsWhatTheyDidBefore) {
  struct sigaction before, after;
  sigaction(SIGTERM, nullptr, &before);
  Run({"0/0=exit:0"});
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST_F(StopTest, ASignalThatIsIgnoredStaysSo) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  {
    StopSignals signals;
    Send(SIGINT);
    EXPECT_EQ(signals.Take(), 0);
    Send(SIGTERM);
    EXPECT_EQ(signals.Take(), SIGTERM);
  }
  std::signal(SIGINT, before);
}

TEST_F(StopTest, AHangUpIsATerminationAndSoIsWhatMpirunPassesOn) {
  for (const int signal : {SIGHUP, SIGUSR1}) {
    StopSignals signals;
    Send(signal);
    EXPECT_EQ(signals.Take(), signal);
    EXPECT_EQ(signals.asked(), kExitTerminated);
  }
}

// A job may be stopped before each process of it can take a signal.
TEST_F(StopTest, AProcessStartsWithTheSignalsBlockedThatAskToStop) {
  testing::internal::CaptureStdout();
  ChildProcess child({"/bin/grep", {"SigBlk", "/proc/self/status"}, {}, {}, {}});
  EXPECT_TRUE(Ends(child.pid()));
  const std::string mask = testing::internal::GetCapturedStdout();
  const auto blocked = std::stoull(mask.substr(mask.find(':') + 1), nullptr, 16);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1})
    EXPECT_NE(blocked >> (signal - 1) & 1, 0u) << signal << " of " << mask;
}

// SupervisorProcessTest runs a supervisor in a process of its own. The job's processes run the same
// program.
class SupervisorProcessTest : public SupervisedJob {
 protected:
  ChildCommand Supervisor(std::vector<std::string> orders) const {
    orders = Args(std::move(orders));
    orders.insert(orders.begin(), "supervise");
    return {Program(), std::move(orders), {}, {}, {}};
  }
};

TEST_F(SupervisorProcessTest, NobodyOutlivesASupervisorThatIsKilled) {
  ChildProcess supervisor(Supervisor({"0/0=gather+say"}));
  Await("said");
  ASSERT_EQ(Starts().size(), 3u);
  kill(supervisor.pid(), SIGKILL);
  for (const Start& start : Starts()) EXPECT_TRUE(Ends(start.pid)) << start.rank;
}

TEST_F(SupervisorProcessTest, CtrlCOfATerminalReachesTheSupervisorAlone) {
  ChildProcess supervisor(Supervisor({"0/0=gather+say+stop", "1/0=stop", "2/0=stop"}));
  Await("said");
  for (const Start& start : Starts()) EXPECT_EQ(getpgid(start.pid), start.pid);
  kill(-supervisor.pid(), SIGINT);
  EXPECT_TRUE(Ends(supervisor.pid()));
  supervisor.Reap();
  EXPECT_EQ(supervisor.end(), (ChildEnd{0, kExitInterrupted}));
  EXPECT_EQ(Count("signal"), 1);
}

TEST_F(SupervisorProcessTest, AProcessThatIsKilledFromOutsideIsReplaced) {
  ChildProcess supervisor(Supervisor({"0/0=gather+say", "0/1=gather+exit:0"}));
  Await("said");
  kill(PidOf(1), SIGKILL);
  EXPECT_TRUE(Ends(supervisor.pid()));
  supervisor.Reap();
  EXPECT_EQ(supervisor.end(), ChildEnd{});
  EXPECT_EQ(Count("start 0"), 2);
}

}  // namespace
}  // namespace singa
