// Tests the address on which a process listens. test/system/network_checks.py tests hosts with
// several networks.
#include "comm/transport/own_address.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

TEST(OwnAddress, AnInterfaceOrAllOfThemMayBeNamed) {
  EXPECT_EQ(ResolveOwn({"lo", 5}), (Endpoint{"127.0.0.1", 5}));
  EXPECT_EQ(ResolveOwn({"*", 5}), (Endpoint{"0.0.0.0", 5}));
  EXPECT_EQ(ResolveOwn({"*", 5}, Reach::kOtherHosts), (Endpoint{"0.0.0.0", 5}));
}

TEST(OwnAddress, ANameThatIsNoneIsAnError) {
  for (const Reach reach : {Reach::kThisHost, Reach::kUnknown, Reach::kOtherHosts})
    EXPECT_ERROR(ResolveOwn({"no-such-host.invalid", 5}, reach), kExitConfig,
                 "no-such-host.invalid", "no address is known for this name");
}

TEST(OwnAddress, AnErrorSaysWhatANameMeansHere) {
  EXPECT_ERROR(ResolveOwn({"lo", 5}, Reach::kOtherHosts), kExitConfig,
               "lo: is 127.0.0.1, which is loopback");
  EXPECT_ERROR(ResolveOwn({"127.0.0.1", 5}, Reach::kOtherHosts), kExitConfig,
               "127.0.0.1: which is loopback");
  EXPECT_ERROR(ResolveOwn({"a.localhost", 5}, Reach::kOtherHosts), kExitConfig, "a.localhost");
}

TEST(OwnAddress, LoopbackIsNoAddressForOtherHosts) {
  for (const char* host : {"127.0.0.1", "127.0.1.1", "::1", "localhost", "lo"}) {
    EXPECT_ERROR(ResolveOwn({host, 5}, Reach::kOtherHosts), kExitConfig, host,
                 "is loopback: processes on other hosts cannot reach it");
    EXPECT_TRUE(IsLoopback(ResolveOwn({host, 5}, Reach::kUnknown))) << host;
    EXPECT_TRUE(IsLoopback(ResolveOwn({host, 5}, Reach::kThisHost))) << host;
  }
}

TEST(OwnAddress, AnAddressOfThisMachineIsTakenAsItIs) {
  const std::vector<OwnAddress> own = OwnAddresses();
  EXPECT_NE(std::find(own.begin(), own.end(), OwnAddress{"lo", "127.0.0.1"}), own.end());
  for (const OwnAddress& each : own) {
    if (IsLoopback({each.host, 0})) continue;
    EXPECT_EQ(ResolveOwn({each.host, 5}, Reach::kOtherHosts), (Endpoint{each.host, 5}));
  }
}

TEST(OwnAddress, AddressesOfTheWholeNetworkComeBeforeLinkLocalOnes) {
  bool local = false;
  for (const OwnAddress& each : OwnAddresses()) {
    const bool is_local = each.host.find('%') != std::string::npos;
    EXPECT_FALSE(local && !is_local) << each.host;
    local = local || is_local;
    EXPECT_NE(each.interface, "");
  }
}

TEST(OwnAddress, ProcessesOfOneHostHaveOneNetwork) {
  const std::string own = OwnNetwork();
  EXPECT_EQ(OwnNetwork(), own);
  const size_t dot = own.rfind('.');
  ASSERT_NE(dot, std::string::npos) << own;
  EXPECT_GT(std::stoull(own.substr(dot + 1)), 0u);  // the inode of the network's namespace
}

}  // namespace
}  // namespace singa
