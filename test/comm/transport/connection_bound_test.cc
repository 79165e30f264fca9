// Tests connections that strangers open to the port of a process of a job.
#include "comm/transport/connection_bound.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file_limit.h"
#include "comm/zmq_ranks.h"

namespace singa {
namespace {

Descriptor ConnectTo(const Endpoint& to, const std::string& words) {
  Descriptor peer(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(to.port));
  inet_pton(AF_INET, to.host.c_str(), &address.sin_addr);
  EXPECT_EQ(connect(peer.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  if (!words.empty()) {
    EXPECT_EQ(send(peer.get(), words.data(), words.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(words.size()));
  }
  return peer;
}

bool Closed(const Descriptor& peer) {
  char byte[256];
  const ssize_t n = recv(peer.get(), byte, sizeof(byte), MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN);
}

const std::string kHalfAGreeting("\xff\0\0\0\0\0\0\0\0\x7f\x03", 11);

ZmqOptions Bounded(int rank, const JobSecrets& secrets, int most) {
  ZmqOptions options = OptionsOf(rank, secrets);
  options.most_strangers = most;
  options.settings.handshake_ms = 60'000;  // strangers stay as long as they like
  return options;
}

class ConnectionBoundTest : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ConnectionBoundTest, testing::Values("", kHalfAGreeting));

TEST_P(ConnectionBoundTest, OneMoreStrangerCutsOffTheOldest) {
  ZmqRank rank(Bounded(0, JobSecrets::Make(2), 20));
  const int64_t before = OpenFiles();
  std::vector<Descriptor> peers;
  for (int i = 0; i < 200; ++i) peers.push_back(ConnectTo(rank.transport.endpoint(), GetParam()));
  EXPECT_TRUE(PollUntil({&rank}, [&] { return rank.transport.counts().cut_off == 180; }))
      << rank.transport.counts().cut_off;
  EXPECT_TRUE(PollUntil({&rank}, [&] { return Closed(peers[0]); }));
  EXPECT_TRUE(PollUntil({&rank}, [&] { return OpenFiles() <= before + 200 + 20; }));
  EXPECT_FALSE(Closed(peers.back()));
}

TEST_P(ConnectionBoundTest, ProcessesOfTheJobMeetAmongStrangersAndAreNotCutOff) {
  const JobSecrets secrets = JobSecrets::Make(2);
  ZmqRank first(Bounded(0, secrets, 20)), second(Bounded(1, secrets, 20));
  std::vector<Descriptor> peers;
  const auto come = [&](int count) {
    for (int i = 0; i < count; ++i)
      peers.push_back(ConnectTo(first.transport.endpoint(), GetParam()));
  };
  come(200);
  second.transport.Connect(0, first.transport.endpoint());
  ASSERT_TRUE(PollUntil({&first, &second}, [&] { return second.transport.connected(0); }));
  come(200);
  ASSERT_TRUE(PollUntil({&first}, [&] { return first.transport.counts().cut_off >= 350; }));
  ASSERT_TRUE(second.transport.Send(0, {FrameOf("still here")}));
  EXPECT_TRUE(PollUntil({&first, &second}, [&] { return !first.recorder.packets.empty(); }));
  EXPECT_EQ(first.recorder.connected.size(), 1u);
}

// Peers that have begun to speak stay connected; silent ones do not.
TEST(ConnectionBoundOrder, SilentConnectionsGoFirst) {
  ZmqRank rank(Bounded(0, JobSecrets::Make(2), 20));
  const Descriptor speaks = ConnectTo(rank.transport.endpoint(), kHalfAGreeting);
  std::vector<Descriptor> peers;
  for (int i = 0; i < 200; ++i) peers.push_back(ConnectTo(rank.transport.endpoint(), ""));
  ASSERT_TRUE(PollUntil({&rank}, [&] { return rank.transport.counts().cut_off == 181; }));
  EXPECT_TRUE(PollUntil({&rank}, [&] { return Closed(peers[0]); }));
  char greeting[64];
  while (recv(speaks.get(), greeting, sizeof(greeting), MSG_DONTWAIT) > 0) continue;
  EXPECT_FALSE(Closed(speaks));
}

// The test runs in a child process, because a hard limit cannot be raised again.
TEST(ConnectionBoundFiles, AFloodLeavesDescriptorsOfAFewHundred) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit few{256, 256};
    bool good = setrlimit(RLIMIT_NOFILE, &few) == 0;
    Ranks ranks(2);
    good = good && ranks.Meet();
    const pid_t flood = fork();  // the flood's process has its own descriptors
    if (flood == 0) {
      std::vector<Descriptor> peers;
      for (int i = 0; i < 2000; ++i) {
        if (peers.size() == 100) peers.clear();
        peers.push_back(ConnectTo(ranks[0].transport.endpoint(), i % 2 ? kHalfAGreeting : ""));
      }
      _exit(0);
    }
    int status = -1;
    while (waitpid(flood, &status, WNOHANG) == 0) {
      ranks[0].Poll(1);
      good = good && Descriptor(dup(0)).get() >= 0 && OpenFiles() < 200;
    }
    _exit(good && status == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace singa
