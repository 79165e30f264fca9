// Tests how a job.conf names its plugins. test/system/plugins.py tests existing plugins.
#include <gtest/gtest.h>

#include "driver/conf/job_conf.h"
#include "singa/base/registry.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

class PluginConfTest : public ::testing::Test {
 protected:
  // Returns the findings in `text`, one a line.
  std::string Find(const std::string& text, const std::vector<std::string>& options = {}) {
    const JobConf conf("F", text, options, &job_);
    std::string lines;
    for (const Diagnostic& diagnostic : conf.diagnostics())
      lines += ToString("F", diagnostic) + "\n";
    return lines;
  }

  JobProto job_;
};

TEST_F(PluginConfTest, ReportsEachPluginAtItsLine) {
  EXPECT_EQ(Find("plugin: ['a.so',\n 'b.so']\nplugin: 'c.so'", {"plugin+=d.so"}),
            "F:1:1: error: plugin[0]: \"a.so\" cannot open: No such file or directory\n"
            "F:1:1: error: plugin[1]: \"b.so\" cannot open: No such file or directory\n"
            "F:3:1: error: plugin[2]: \"c.so\" cannot open: No such file or directory\n"
            "-set plugin: error: plugin[3]: \"d.so\" cannot open: No such file or directory\n");
}

TEST_F(PluginConfTest, ReadsPluginsBehindMoreMistakesThanAreKept) {
  std::string text;
  for (int i = 0; i < 1100; ++i) text += "updater { type: kSGDD [no.such] { } }\n";
  const JobConf conf("F", text + "plugin: 3 plugin: 'a.so'", {}, &job_);
  EXPECT_NE(conf.Render().find("F:1101:11: error: plugin[1]: \"a.so\" cannot open"),
            std::string::npos);
}

TEST_F(PluginConfTest, AnOptionDoesAwayWithTheFilesPlugins) {
  EXPECT_EQ(Find("name: 'x'\nplugin: 'a.so'\nplugin: 'b.so'", {"plugin="}), "");
  EXPECT_EQ(Find("name: 'x'\nplugin: 'a.so'\nplugin: 'b.so'", {"plugin=c.so"}),
            "-set plugin: error: plugin[0]: \"c.so\" cannot open: No such file or directory\n");
}

TEST(Registry, HoldsEachOfOurNamesOnce) { EXPECT_TRUE(RegisteredTwice().empty()); }

}  // namespace
}  // namespace singa
