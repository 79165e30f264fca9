// Tests peers that do not speak ZeroMQ at all, or only begin to.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "comm/zmq_ranks.h"

namespace singa {
namespace {

class RawPeer {
 public:
  explicit RawPeer(const Endpoint& to) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(to.port));
    inet_pton(AF_INET, to.host.c_str(), &address.sin_addr);
    EXPECT_EQ(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  RawPeer(RawPeer&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  RawPeer& operator=(RawPeer&&) = delete;
  ~RawPeer() {
    if (fd_ >= 0) close(fd_);
  }
  void Say(const std::string& bytes) {
    static_cast<void>(send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
  // Returns whether the other side has closed the connection.
  bool Closed() {
    char byte[256];
    const ssize_t n = recv(fd_, byte, sizeof(byte), MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN);
  }

 private:
  int fd_;
};

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Returns a greeting of ZMTP 3.0: signature, version, mechanism, as-server, filler; 64 bytes.
std::string GreetingOf(const std::string& mechanism) {
  std::string text("\xff\0\0\0\0\0\0\0\0\x7f\x03\0", 12);
  text += mechanism;
  text.resize(64, '\0');
  return text;
}

std::vector<std::string> Attacks() {
  const std::string huge_length("\x02\x7f\xff\xff\xff\xff\xff\xff\xff", 9);
  std::vector<std::string> attacks = {
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + std::string(500, '\x42'),
      GreetingOf("NULL"),
      GreetingOf("NULL") + huge_length,
      GreetingOf("PLAIN") + huge_length,
      GreetingOf("PLAIN") + std::string("\x06\xff\xff\xff\xff\xff\xff\xff\xff", 9),
      GreetingOf("PLAIN") + std::string("\x04\x0e\x05HELLO\x00\x00", 10),
      GreetingOf("PLAIN") + std::string("\x04\x08\x05HELLO\xff\xff", 10),
      GreetingOf("CURVE") + std::string("\x04\xc8", 2) + std::string(200, '\x01'),
      huge_length,
      // ZMTP 1.0: a frame of 2^63 - 1 bytes
      std::string("\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00", 10) + std::string(100, 'x'),
      std::string(1 << 20, '\0'),
  };
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    std::string noise(random() % 300, '\0');
    for (char& byte : noise) byte = static_cast<char>(random());
    attacks.push_back(i % 2 == 0 ? noise : GreetingOf(i % 4 == 1 ? "PLAIN" : "NULL") + noise);
  }
  return attacks;
}

class ZmqRawPeerTest : public testing::TestWithParam<Security> {};
INSTANTIATE_TEST_SUITE_P(All, ZmqRawPeerTest, testing::Values(Security::kAuto, Security::kCurve));

// Sends packets from rank 1 to rank 0, one after the other. Returns how many arrived.
int Exchange(Ranks* ranks, int packets) {
  auto& arrived = (*ranks)[0].recorder.packets;
  arrived.clear();
  for (int i = 0; i < packets; ++i) {
    if (!(*ranks)[1].transport.Send(0, {FrameOf("legitimate")})) break;
    if (!PollUntil(ranks->Pointers(), [&] { return static_cast<int>(arrived.size()) > i; })) break;
  }
  return static_cast<int>(arrived.size());
}

TEST_P(ZmqRawPeerTest, NothingOfItIsHeardAndLittleIsKept) {
  Ranks ranks(2, GetParam());
  ASSERT_TRUE(ranks.Meet());
  ASSERT_EQ(Exchange(&ranks, 10), 10);
  const int64_t before = ResidentBytes();
  int64_t most = before;
  std::vector<RawPeer> peers;
  for (const std::string& attack : Attacks()) {
    peers.emplace_back(ranks[0].transport.endpoint());
    peers.back().Say(attack);
    ranks[0].Poll(1);
    most = std::max(most, ResidentBytes());
    if (peers.size() == 100) peers.clear();  // the others stay connected
  }
  EXPECT_EQ(ranks[0].recorder.packets.size(), 10u);
  EXPECT_LT(most - before, 64 << 20);
  EXPECT_EQ(Exchange(&ranks, 10), 10);
  EXPECT_GT(ranks[0].transport.counts().failed_handshakes, 100);
}

TEST_P(ZmqRawPeerTest, HalfAGreetingIsCutOffInTime) {
  Ranks ranks(1, GetParam());
  const Endpoint to = ranks[0].transport.endpoint();
  std::vector<RawPeer> peers;
  for (const size_t length : {0, 1, 10, 11, 32, 63, 64}) {
    peers.emplace_back(to);
    peers.back().Say(GreetingOf("PLAIN").substr(0, length));
  }
  EXPECT_TRUE(PollUntil(ranks.Pointers(), [&] {
    return std::all_of(peers.begin(), peers.end(), [](RawPeer& peer) { return peer.Closed(); });
  }));
}

TEST_P(ZmqRawPeerTest, IdleConnectionsStopNobody) {
  Ranks ranks(2, GetParam());
  std::vector<RawPeer> peers;
  for (int i = 0; i < 200; ++i) {
    peers.emplace_back(ranks[0].transport.endpoint());
    if (i % 2 == 0) peers.back().Say(GreetingOf("CURVE").substr(0, i % 64));
  }
  ASSERT_TRUE(ranks.Meet());
  EXPECT_EQ(Exchange(&ranks, 300), 300);
}

}  // namespace
}  // namespace singa
