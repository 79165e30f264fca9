// Tests that memory of a large tensor asks for huge pages, by the kernel's list of mappings.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "singa/tensor/tensor.h"

namespace singa {
namespace {

constexpr int64_t kHugePage = int64_t{1} << 21;

// Returns the flags of the mapping that `address` lies in; empty if the kernel lists none.
std::string MappingFlags(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream(line) >> std::hex >> begin >> dash >> end && dash == '-')
      inside = begin <= wanted && wanted < end;
    if (inside && line.starts_with("VmFlags:")) return line + " ";
  }
  return "";
}

TEST(TensorTest, LargeOnesAskForHugePages) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "this kernel has no huge pages to ask for";
  const Tensor large = Tensor::Allocate({4 * kHugePage}, DType::kU8);
  EXPECT_NE(MappingFlags(large.as<char>() + 2 * kHugePage).find(" hg "), std::string::npos);
  const Tensor small = Tensor::Allocate({kHugePage / 2}, DType::kU8);
  EXPECT_EQ(MappingFlags(small.as<char>()).find(" hg "), std::string::npos);
  for (int64_t i = 0; i < large.bytes(); i += 4099) ASSERT_EQ(large.as<char>()[i], 0);
}

}  // namespace
}  // namespace singa
