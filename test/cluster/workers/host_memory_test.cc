#include "cluster/workers/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "singa/base/error.h"

namespace singa {
namespace {

using testing::HasSubstr;

std::string WhatIsWrong(const HostMemory::Place& place) {
  try {
    const HostMemory found(place);
    return "";
  } catch (const DeviceError& error) {
    return error.what();
  }
}

TEST(HostMemoryTest, AnotherProcessSeesAndWritesIt) {
  const HostMemory made(1000);
  EXPECT_EQ(made.data()[0], std::byte{0});
  EXPECT_EQ(made.data()[999], std::byte{0});
  std::memcpy(made.data(), "asked", 6);
  const HostMemory::Place place = made.place();
  const pid_t child = ::fork();
  if (child == 0) {
    const HostMemory found(place);
    const bool same = std::strcmp(reinterpret_cast<const char*>(found.data()), "asked") == 0;
    std::memcpy(found.data() + 994, "told!", 6);
    ::_exit(same && found.bytes() == 1000 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_STREQ(reinterpret_cast<const char*>(made.data() + 994), "told!");
}

TEST(HostMemoryTest, StaysWhileAnybodyHasIt) {
  auto made = std::make_unique<HostMemory>(100);
  const HostMemory::Place place = made->place();
  const HostMemory found(place);
  std::memcpy(made->data(), "kept", 5);
  made.reset();
  EXPECT_STREQ(reinterpret_cast<const char*>(found.data()), "kept");
  EXPECT_THAT(WhatIsWrong(place), HasSubstr("No such file or directory"));
}

TEST(HostMemoryTest, WhatIsNotTheJobsIsRefused) {
  const HostMemory made(100), other(100);
  HostMemory::Place place = made.place();
  place.mark = other.place().mark;
  EXPECT_THAT(WhatIsWrong(place), HasSubstr("it belongs to another job"));
  place = made.place();
  ++place.bytes;
  EXPECT_THAT(WhatIsWrong(place), HasSubstr("this is not the memory of a job"));
  place = made.place();
  place.descriptor = 0;  // refers to no memory
  EXPECT_THAT(WhatIsWrong(place), HasSubstr("cannot share memory with process 0, at /proc/"));
  place.process = -1;
  EXPECT_THAT(WhatIsWrong(place), HasSubstr("No such file or directory"));
  EXPECT_THAT(WhatIsWrong(place), HasSubstr("share_memory: false"));
}

TEST(HostMemoryTest, NobodyCanMakeItSmaller) {
  const HostMemory made(100);
  EXPECT_NE(::ftruncate(static_cast<int>(made.place().descriptor), 10), 0);
}

TEST(HostMemoryTest, MoreThanThereCanBeIsAnError) {
  EXPECT_THROW(HostMemory(int64_t{1} << 62), DeviceError);
}

}  // namespace
}  // namespace singa
