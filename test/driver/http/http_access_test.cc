#include "driver/http/http_access.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

TEST(HttpAccessTest, KnowsNamesOfLoopback) {
  for (const char* host : {"localhost", "LocalHost:80", "localhost:", "127.0.0.1", "127.9.9.9:1234",
                           "[::1]", "[::1]:80"})
    EXPECT_TRUE(IsLoopbackName(host)) << host;
  for (const char* host : {"", ":80", "localhost.evil.com", "127.0.0.1:80@evil.com",
                           "[::1]evil.com", "[::1", "127.1", "128.0.0.1", "localhost:80:80"})
    EXPECT_FALSE(IsLoopbackName(host)) << host;
}

}  // namespace
}  // namespace singa
