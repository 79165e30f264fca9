#include "base/system/failpoint.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>

namespace singa {
namespace {

class FailpointTest : public ::testing::Test {
 protected:
  ~FailpointTest() override {
    SetFailpoints("");
    SetFailpointRank(0);
  }
  static void Pass() { SINGA_FAILPOINT("stub_got_message"); }
  // Returns the number of the first pass that throws; 0: none of ten throws.
  static int ThrowsAt() {
    for (int pass = 1; pass <= 10; ++pass) try {
        Pass();
      } catch (const Error&) {
        return pass;
      }
    return 0;
  }
};
using FailpointDeathTest = FailpointTest;

TEST_F(FailpointTest, IsNothingUnlessSet) {
  EXPECT_EQ(ThrowsAt(), 0);
  SetFailpoints("follower_told=error");  // another place
  EXPECT_EQ(ThrowsAt(), 0);
}

TEST_F(FailpointTest, ErrorNamesThePoint) {
  SetFailpoints("stub_got_message=error");
  try {
    Pass();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitIo);
    EXPECT_STREQ(error.what(), "failpoint stub_got_message");
  }
}

TEST_F(FailpointTest, HappensAtItsPassAlone) {
  SetFailpoints("stub_got_message=error@3");
  EXPECT_EQ(ThrowsAt(), 3);
  EXPECT_EQ(ThrowsAt(), 0);
}

TEST_F(FailpointTest, HappensFromAPassOn) {
  SetFailpoints("stub_got_message=error@2+");
  EXPECT_EQ(ThrowsAt(), 2);
  EXPECT_EQ(ThrowsAt(), 1);
}

TEST_F(FailpointTest, HappensInItsRankAlone) {
  SetFailpoints("stub_got_message/1=error");
  EXPECT_EQ(ThrowsAt(), 0);
  SetFailpoints("stub_got_message/1=error");
  SetFailpointRank(1);
  EXPECT_EQ(ThrowsAt(), 1);
}

TEST_F(FailpointTest, SeveralMayBeSet) {
  SetFailpoints("stub_got_message=error@2,follower_told=kill,stub_got_message/0=error@4");
  EXPECT_EQ(ThrowsAt(), 2);
  EXPECT_EQ(ThrowsAt(), 2);
}

TEST_F(FailpointTest, DelayWaits) {
  SetFailpoints("stub_got_message=delay:20");
  const auto start = std::chrono::steady_clock::now();
  Pass();
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
}

TEST_F(FailpointDeathTest, KillEndsTheProcessAtOnce) {
  SetFailpoints("stub_got_message=kill@2");
  EXPECT_EXIT((Pass(), Pass()), ::testing::KilledBySignal(SIGKILL),
              "singa: failpoint stub_got_message: kill, pass 2\n");
}

TEST_F(FailpointTest, RefusesWhatItCannotRead) {
  const std::pair<const char*, const char*> bad[] = {
      {"stub_got_mesage=kill",
       "there is no failpoint \"stub_got_mesage\"; did you mean \"stub_got_message\"?"},
      {"stub_got_message", "an action must be kill, stop, error or delay:MS, is \"\""},
      {"stub_got_message=", "nothing stands behind \"stub_got_message=\""},
      {"stub_got_message=kil", "an action must be kill, stop, error or delay:MS, is \"kil\""},
      {"stub_got_message=kill:5", "an action must be kill, stop, error or delay:MS, is \"kill:5\""},
      {"stub_got_message=delay", "an action must be kill, stop, error or delay:MS, is \"delay\""},
      {"stub_got_message=delay:5s", "must be a number from 0 to 1000000000, is \"5s\""},
      {"stub_got_message=kill@0", "must be a number from 1 to 1000000000, is \"0\""},
      {"stub_got_message=kill@+", "must be a number from 1 to 1000000000, is \"\""},
      {"stub_got_message/x=kill", "must be a number from 0 to 1000000000, is \"x\""},
      {"follower_told=kill,,", "there is no failpoint \"\""},
  };
  for (const auto& [text, message] : bad) try {
      SetFailpoints(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), kExitUsage);
      EXPECT_EQ(error.what(), std::string("SINGA_FAILPOINTS: ") + message);
    }
}

}  // namespace
}  // namespace singa
