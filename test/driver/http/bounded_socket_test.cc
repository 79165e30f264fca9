#include "driver/http/bounded_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

namespace singa {
namespace {

class BoundedSocketTest : public testing::Test {
 protected:
  BoundedSocketTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~BoundedSocketTest() override {
    for (const int end : ends_) ::close(end);
  }
  void Send(const std::string& bytes) {
    EXPECT_EQ(::send(ends_[1], bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  // Reads until no more may be read.
  static std::string ReadAll(BoundedSocket* socket) {
    std::string all;
    char byte;
    while (socket->Read(&byte, 1) == 1) all += byte;
    return all;
  }

  std::array<int, 2> ends_{};
};

TEST_F(BoundedSocketTest, ReadsAHeadOfSoManyBytes) {
  constexpr size_t kMostHead = 64 << 10;
  BoundedSocket socket(ends_[0]);
  Send(std::string(kMostHead + 1, 'x'));
  EXPECT_TRUE(socket.AwaitRequest());
  EXPECT_FALSE(socket.head_too_large());
  EXPECT_EQ(ReadAll(&socket).size(), kMostHead);
  EXPECT_TRUE(socket.head_too_large());
}

TEST_F(BoundedSocketTest, LeavesWhatFollowsTheBodyToTheNextRequest) {
  BoundedSocket socket(ends_[0]);
  Send("bodynext");
  EXPECT_TRUE(socket.AwaitRequest());
  socket.AllowBody(4);
  EXPECT_EQ(ReadAll(&socket), "body");
  EXPECT_FALSE(socket.head_too_large());
  EXPECT_TRUE(socket.AwaitRequest());
  char next[4];
  EXPECT_EQ(socket.Read(next, sizeof next), 4);
  EXPECT_EQ(std::string(next, sizeof next), "next");
}

TEST_F(BoundedSocketTest, EndsWithItsClient) {
  BoundedSocket socket(ends_[0]);
  ::shutdown(ends_[1], SHUT_RDWR);
  EXPECT_FALSE(socket.AwaitRequest());
  const std::string answer = "answer";
  EXPECT_FALSE(socket.Write(answer.data(), answer.size()));
}

}  // namespace
}  // namespace singa
