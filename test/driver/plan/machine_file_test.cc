#include "driver/plan/machine_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa::machine_file {
namespace {

class MachineFileTest : public testing::Test {
 protected:
  // Reads a file with `text`. Returns what is printed to stderr.
  std::string FindingsOf(const std::string& text) {
    const std::string path = folder_.path() + "/machine.conf";
    std::ofstream(path) << text;
    testing::internal::CaptureStderr();
    try {
      machine_ = ReadMachine(path);
      code_ = kExitOk;
    } catch (const Error& error) {
      code_ = error.code();
    }
    std::string found = testing::internal::GetCapturedStderr();
    for (size_t at; (at = found.find(folder_.path() + "/")) != std::string::npos;)
      found.erase(at, folder_.path().size() + 1);
    return found;
  }

  TempDir folder_;
  MachineProto machine_;
  ExitCode code_ = kExitOk;
};

TEST_F(MachineFileTest, ReadsASoundFile) {
  EXPECT_EQ(FindingsOf("name: \"m\" cores: 4 gflops: 100 gb_per_s: 10"), "");
  EXPECT_EQ(machine_.cores(), 4);
  EXPECT_EQ(code_, kExitOk);
}

TEST_F(MachineFileTest, NamesEachWrongFieldWithItsPlace) {
  const std::string found =
      FindingsOf("gflops: 0\ngb_per_s: -2\nlink_gbit: -1 link_us: -3\nrate { gflops: 3 }\n");
  EXPECT_EQ(code_, kExitConfig);
  for (const char* line : {"machine.conf:1:1: error: gflops: must be > 0, is 0",
                           "machine.conf:2:1: error: gb_per_s: must be > 0, is -2",
                           "machine.conf:3:1: error: link_gbit: must be > 0, is -1",
                           "machine.conf:3:15: error: link_us: must be >= 0, is -3",
                           "machine.conf:4:1: error: rate[0].type: is missing"})
    EXPECT_NE(found.find(line), std::string::npos) << line << "\n" << found;
}

TEST_F(MachineFileTest, RefusesNumbersThatAreNotFinite) {
  const std::string found = FindingsOf("gflops: nan\ngb_per_s: inf\n");
  EXPECT_EQ(code_, kExitConfig);
  for (const char* line : {"machine.conf:1:1: error: gflops: must be finite, is nan",
                           "machine.conf:2:1: error: gb_per_s: must be finite, is inf"})
    EXPECT_NE(found.find(line), std::string::npos) << line << "\n" << found;
}

TEST_F(MachineFileTest, NamesWhatIsMissing) {
  const std::string found = FindingsOf("cores: 2");
  EXPECT_NE(found.find("gflops: is missing"), std::string::npos) << found;
  EXPECT_NE(found.find("gb_per_s: is missing"), std::string::npos) << found;
}

TEST_F(MachineFileTest, RefusesTooManyCores) {
  EXPECT_NE(FindingsOf("cores: 0 gflops: 1 gb_per_s: 1").find("must be from 1 to 4096, is 0"),
            std::string::npos);
}

}  // namespace
}  // namespace singa::machine_file
