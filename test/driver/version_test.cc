#include "driver/version.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "singa/driver/interface_id.h"

namespace singa::version {
namespace {

TEST(Version, NamesEachPartOnce) {
  std::set<std::string> names;
  for (const auto& [name, version] : Versions()) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_NE(version, "") << name;
    EXPECT_EQ(version.find('\n'), std::string::npos) << name;
  }
  for (const char* name : {"singa", "build id", "instruction set", "protobuf", "zlib",
                           "libjpeg-turbo", "libpng", "libarchive", "liblmdb", "compiler"})
    EXPECT_EQ(names.count(name), 1u) << name;
}

TEST(Version, TheTextHasALineForEach) {
  const auto versions = Versions();
  const std::string text = VersionText();
  EXPECT_EQ(text.rfind(std::string("singa ") + SINGA_VERSION_TEXT "\nbuild id ", 0), 0u) << text;
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), versions.size());
}

// A linker that is not asked for an id gives none.
TEST(Version, TheBuildIdIsHexOrNone) {
  const std::string id = BuildId();
  if (id == "none") return;
  EXPECT_GE(id.size(), 16u);
  EXPECT_EQ(id.size() % 2, 0u);
  for (const unsigned char c : id) EXPECT_TRUE(std::isdigit(c) || (c >= 'a' && c <= 'f')) << id;
  EXPECT_EQ(BuildId(), id);
}

TEST(Version, TheInstructionSetIsOneThatKernelsUse) {
  const std::set<std::string> known = {"avx512", "avx2", "sse2", "neon", "baseline"};
  EXPECT_EQ(known.count(InstructionSet()), 1u) << InstructionSet();
}

}  // namespace
}  // namespace singa::version
