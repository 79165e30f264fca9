// NewJobCase is for tests of `singa new job` on tables.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "driver/new_job/new_job.h"
#include "io/temp_dir.h"
#include "support/driver/captured_command.h"

namespace singa::new_job_test {

class NewJobCase : public testing::Test {
 protected:
  // Runs `singa new job` on a table.
  CapturedCommand Make(const std::string& table, std::vector<std::string> flags = {}) const {
    dir_.Write("t.csv", table);
    std::filesystem::remove_all(dir_.Path("job"));
    flags.insert(flags.begin(), "job");
    flags.insert(flags.end(), {dir_.Path("t.csv"), dir_.Path("job")});
    return CapturedCommand([&] { return NewJob(flags); });
  }
  // Returns the error of a table of which no job can be made, and checks that nothing is left.
  std::string Error(const std::string& table, const std::vector<std::string>& flags = {},
                    int code = kExitBadData) const {
    const CapturedCommand run = Make(table, flags);
    EXPECT_EQ(run.code, code) << run.err;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
      EXPECT_EQ(entry.path().filename(), "t.csv");
    return run.err;
  }
  std::string Conf() const { return TempDir::Read(dir_.Path("job/job.conf")); }

  const TempDir dir_;
};

// Returns a table of `count` lines, in which `#` stands for a number that grows, and `@` for 0
// or 1.
inline std::string Lines(const std::string& header, const std::string& line, int count) {
  std::string text = header;
  for (int i = 0; i < count; ++i) {
    for (const char c : line)
      text += c == '#' ? std::to_string(i) : c == '@' ? std::to_string(i % 2) : std::string(1, c);
    text += '\n';
  }
  return text;
}

}  // namespace singa::new_job_test
