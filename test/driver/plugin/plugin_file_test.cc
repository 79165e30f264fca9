// Tests the checks of a plugin before its code runs. The files here hold text, not code.
#include "driver/plugin/plugin_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "io/temp_dir.h"
#include "singa/base/error.h"
#include "singa/driver/plugin.h"

namespace singa::plugin_file {
namespace {

namespace fs = std::filesystem;

class PluginFileTest : public testing::Test {
 protected:
  std::string Write(const std::string& text) const {
    const std::string path = dir_.Write("a.so", text);
    ::chmod(path.c_str(), 0644);
    return path;
  }
  // Expects that a file with these properties in place of singa's is refused.
  void ExpectOther(const std::string& abi, const std::string& difference) const {
    EXPECT_ERROR(CheckPluginFile(Write("code" SINGA_PLUGIN_MARK + abi + '\0' + "code")),
                 kExitConfig, "was built for another singa: " + difference);
  }
  // Returns singa's properties with another value of the one called `name`.
  static std::string With(const std::string& name, const std::string& value) {
    std::string abi = SINGA_ABI;
    const size_t at = abi.find(name + ": ");
    EXPECT_NE(at, std::string::npos) << name;
    const size_t end = abi.find('\n', at);
    return abi.replace(at, end - at, name + ": " + value);
  }

  const TempDir dir_;
  const std::string good_ = std::string("code" SINGA_PLUGIN_MARK SINGA_ABI) + '\0' + "code";
};

TEST_F(PluginFileTest, OneForThisSingaIsTaken) { EXPECT_NO_THROW(CheckPluginFile(Write(good_))); }

TEST_F(PluginFileTest, AMissingOneIsNamedWithoutItsPath) {
  try {
    CheckPluginFile(dir_.Path("none"));
    FAIL() << "it was taken";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.code(), kExitNoInput);
    EXPECT_EQ(error.path(), "");
    EXPECT_EQ(error.message(), "cannot open: No such file or directory");
  }
}

TEST_F(PluginFileTest, AnotherFileIsNone) {
  for (const char* text : {"", "some library", SINGA_PLUGIN_MARK, SINGA_ABI})
    EXPECT_THROW(CheckPluginFile(Write(text)), ConfigError) << text;
  EXPECT_ERROR(CheckPluginFile(Write("x")), kExitConfig,
               "is no plugin of singa: no source of it has SINGA_PLUGIN()");
}

TEST_F(PluginFileTest, TheFirstDifferenceIsNamed) {
  ExpectOther(With("singa version", "0.1"), "singa version is 0.1, here " SINGA_VERSION_TEXT);
  ExpectOther(With("protobuf version", "1"), "protobuf version is 1, here ");
  ExpectOther(With("layout of containers (_GLIBCXX_DEBUG)", "x\n"),
              "layout of containers (_GLIBCXX_DEBUG) is x, here " SINGA_CONTAINERS);
}

TEST_F(PluginFileTest, APropertyThatIsMissingIsNamed) {
  ExpectOther("singa version: " SINGA_VERSION_TEXT "\n",
              "hash of singa's headers and protos is not given, here ");
}

TEST_F(PluginFileTest, AFileThatAnybodyMayWriteIsRefused) {
  const std::string path = Write(good_);
  ::chmod(path.c_str(), 0666);
  EXPECT_ERROR(CheckPluginFile(path), kExitNoPermission,
               "may be written by anybody, and its code would run here: chmod o-w");
}

TEST_F(PluginFileTest, AFileThatAnybodyMayReplaceIsRefused) {
  const std::string path = Write(good_);
  ::chmod(dir_.path().c_str(), 0777);
  EXPECT_ERROR(CheckPluginFile(path), kExitNoPermission,
               "lies in \"" + dir_.path() + "\", where anybody may put another in its place");
  ::chmod(dir_.path().c_str(), 01777);  // sticky: only its owner may
  EXPECT_NO_THROW(CheckPluginFile(path));
  ::chmod(dir_.path().c_str(), 0700);
}

TEST_F(PluginFileTest, LinksAreFollowedToTheFile) {
  fs::create_symlink(Write(good_), dir_.Path("link"));
  EXPECT_NO_THROW(CheckPluginFile(dir_.Path("link")));
  fs::create_directory(dir_.Path("open"));
  fs::rename(dir_.Path("a.so"), dir_.Path("open/a.so"));
  ::chmod(dir_.Path("open").c_str(), 0777);
  fs::remove(dir_.Path("link"));
  fs::create_symlink("open/../open/a.so", dir_.Path("link"));
  EXPECT_ERROR(CheckPluginFile(dir_.Path("link")), kExitNoPermission, "lies in ", "/open\"");
}

}  // namespace
}  // namespace singa::plugin_file
