#include "driver/http/connections.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "base/thread/thread.h"

namespace singa {
namespace {

// Both ends of a connection.
class Pair {
 public:
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~Pair() {
    for (const int end : ends_) ::close(end);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int socket() const { return ends_[0]; }
  // Returns whether the client sees the end of the connection.
  bool ended() const {
    char byte;
    return ::recv(ends_[1], &byte, 1, MSG_DONTWAIT) == 0;
  }

 private:
  std::array<int, 2> ends_{};
};

void Open(Connections* connections, const Pair& pair) {
  connections->Announce();
  connections->Begin(pair.socket());
}

TEST(ConnectionsTest, EndsTheOneThatWaitsLongestForItsClient) {
  Connections connections(2);
  const Pair a, b, c;
  Open(&connections, a);
  Open(&connections, b);
  connections.Renew(a.socket());
  Open(&connections, c);
  EXPECT_TRUE(b.ended());
  EXPECT_FALSE(a.ended() || c.ended());
}

TEST(ConnectionsTest, KeepsOnesWhoseAnswerIsMade) {
  Connections connections(2);
  const Pair a, b, c, d;
  Open(&connections, a);
  connections.BeginAnswer(a.socket());
  Open(&connections, b);
  Open(&connections, c);
  EXPECT_TRUE(b.ended());
  EXPECT_FALSE(a.ended());
  connections.EndAnswer(a.socket());
  Open(&connections, d);
  EXPECT_TRUE(c.ended());
  EXPECT_FALSE(a.ended());
}

TEST(ConnectionsTest, TheirEndWaitsForAnswers) {
  Connections connections(2);
  const Pair a;
  Open(&connections, a);
  connections.BeginAnswer(a.socket());
  std::thread end = StartThread([&] { connections.EndAll(); });
  char byte;
  EXPECT_EQ(::recv(a.socket(), &byte, 1, 0), 0);  // its reading has ended
  EXPECT_FALSE(a.ended());
  connections.EndAnswer(a.socket());
  connections.End(a.socket());
  end.join();
}

}  // namespace
}  // namespace singa
