#include "comm/transport/endpoint.h"

#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

TEST(Endpoint, IsReadAndWritten) {
  EXPECT_EQ(ParseEndpoint("127.0.0.1:6723"), (Endpoint{"127.0.0.1", 6723}));
  EXPECT_EQ(ParseEndpoint("tcp://node-1.lab_2:*"), (Endpoint{"node-1.lab_2", 0}));
  EXPECT_EQ(ParseEndpoint("[fe80::1%eth0]:80"), (Endpoint{"fe80::1%eth0", 80}));
  EXPECT_EQ(ParseEndpoint("*:0"), (Endpoint{"*", 0}));
  for (const char* form : {"127.0.0.1:6723", "[::1]:80", "host:*"})
    EXPECT_EQ(ToString(ParseEndpoint(form)), form);
}

TEST(Endpoint, OtherTransportsAreRefused) {
  for (const char* form : {"udp://127.0.0.1:80", "ipc:///tmp/x:1", "inproc://x:1", "pgm://x:1"})
    EXPECT_ERROR(ParseEndpoint(form), kExitConfig, "only tcp is supported");
}

TEST(Endpoint, OtherFormsAreRefused) {
  for (const char* form :
       {"", ":", "host", "host:", ":80", "host:80x", "host:-", "::1:80", "[::1]", "[]:80", "[*]:1",
        "a b:80", "a;b:1", "host:80:90", "user@host:1", "eth0;127.0.0.1:80", "h\n:1"})
    EXPECT_ERROR(ParseEndpoint(form), kExitConfig, "must be HOST:PORT");
  EXPECT_ERROR(ParseEndpoint("host:65536"), kExitConfig, "the port must be 0 to 65535, is 65536");
  EXPECT_ERROR(ParseEndpoint("host:-1"), kExitConfig, "the port must be 0 to 65535");
  EXPECT_ERROR(ParseEndpoint(std::string(254, 'a') + ":1"), kExitConfig, "must be HOST:PORT");
  EXPECT_ERROR(ParseEndpoint("h\x1b[2J:1"), kExitConfig, "h\\x1b[2J:1");
}

TEST(Endpoint, NamesBecomeAddresses) {
  EXPECT_EQ(Resolve({"localhost", 5}), (Endpoint{"127.0.0.1", 5}));
  EXPECT_EQ(Resolve({"::1", 5}), (Endpoint{"::1", 5}));
  EXPECT_ERROR(Resolve({"*", 5}), kExitConfig, "no address is known for this name");
  EXPECT_ERROR(Resolve({"no-such-host.invalid", 5}), kExitConfig, "no-such-host.invalid",
               "no address is known for this name");
}

TEST(Endpoint, LoopbackIsKnown) {
  for (const char* host : {"127.0.0.1", "127.255.0.9", "::1"}) EXPECT_TRUE(IsLoopback({host, 1}));
  for (const char* host : {"10.0.0.1", "128.0.0.1", "::", "0.0.0.0", "::2"})
    EXPECT_FALSE(IsLoopback({host, 1}));
  EXPECT_TRUE(IsNumeric({"::1", 1}) && IsNumeric({"10.0.0.1", 1}));
  EXPECT_FALSE(IsNumeric({"localhost", 1}) || IsNumeric({"*", 1}));
}

TEST(Endpoint, TheWayToAPeerGivesTheOwnAddress) {
  EXPECT_EQ(LocalAddressToward({"127.0.0.1", 6723}), (Endpoint{"127.0.0.1", 0}));
}

}  // namespace
}  // namespace singa
