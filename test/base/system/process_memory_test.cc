#include "base/system/process_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace singa {
namespace {

constexpr int64_t kBytes = 32 << 20;

// Memory of its own mapping, which is there from its first use on.
class Mapping {
 public:
  explicit Mapping(int kind)
      : memory_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0)) {}
  ~Mapping() { ::munmap(memory_, kBytes); }
  void Use() { std::memset(memory_, 1, kBytes); }

 private:
  void* const memory_;
};

class ProcessMemoryTest : public testing::TestWithParam<int> {};

TEST_P(ProcessMemoryTest, CountsPagesThatAreInUse) {
  const auto before = ProcessMemory();
  ASSERT_TRUE(before);
  {
    Mapping mapping(GetParam());
    EXPECT_LT(*ProcessMemory(), *before + kBytes / 4);
    mapping.Use();
    EXPECT_GE(*ProcessMemory(), *before + kBytes - (1 << 20));
  }
  EXPECT_LT(*ProcessMemory(), *before + kBytes / 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ProcessMemoryTest, testing::Values(MAP_PRIVATE, MAP_SHARED));

}  // namespace
}  // namespace singa
