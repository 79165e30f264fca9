#include "driver/command/command_line.h"

#include <glog/logging.h>
#include <gtest/gtest.h>

#include "driver/arguments/arguments.h"
#include "driver/command/help.h"
#include "driver/command/subcommand.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using Args = std::vector<std::string>;

// Returns the error that refuses `args`.
std::string RefusalOf(const Args& args) {
  try {
    ParseCommandLine(args);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), kExitUsage);
    return error.what();
  }
  return "";
}

TEST(CommandLine, APluginIsAnOptionOfItsPlaceWhateverItsName) {
  const Args args = {"-plugin", "a,b.so", "-set", "plugin=c"};
  const Args expected = {"plugin+=a\\,b.so", "plugin=c"};
  EXPECT_EQ(Arguments("predict", args, {.values = {}, .repeated = {"set", "plugin"}}).Settings(),
            expected);
  EXPECT_EQ(ParseCommandLine({"check", "job.conf", args[0], args[1], args[2], args[3]}).sets,
            expected);
}

TEST(CommandLine, ReadsOptionsWithOneOrTwoDashes) {
  for (const Args& args : {Args{"-conf", "a", "-singa_job", "-7", "-host", "h"},
                           Args{"--conf=a", "--singa_job=-7", "--host=h"}}) {
    const CommandLine line = ParseCommandLine(args);
    EXPECT_EQ(line.conf, "a");
    EXPECT_EQ(line.singa_job, -7);
    EXPECT_EQ(line.host, "h");
    EXPECT_EQ(line.subcommand, "");
  }
}

TEST(CommandLine, KeepsEverySetInOrder) {
  const CommandLine line =
      ParseCommandLine({"-set", "a=1", "-conf", "f", "-set=b=-2", "-set", "a+=3"});
  EXPECT_EQ(line.sets, (Args{"a=1", "b=-2", "a+=3"}));
}

TEST(CommandLine, HasDefaults) {
  const CommandLine line = ParseCommandLine({"-conf", "f"});
  EXPECT_FALSE(line.resume || line.test || line.verbose || line.help || line.no_arguments);
  EXPECT_EQ(line.singa_job, -1);
  EXPECT_EQ(line.host, "localhost");
}

TEST(CommandLine, SubcommandsTakeAFile) {
  const CommandLine line = ParseCommandLine({"check", "-v", "job.conf", "-set", "a=1"});
  EXPECT_EQ(line.subcommand, "check");
  EXPECT_EQ(line.conf, "job.conf");
  EXPECT_TRUE(line.verbose);
}

TEST(CommandLine, PassesOnTheArgumentsOfDataAndCkpt) {
  const CommandLine line = ParseCommandLine({"data", "convert", "--shape=3", "-x", "in", "out"});
  EXPECT_EQ(line.subcommand, "data");
  EXPECT_EQ(line.args, (Args{"convert", "--shape=3", "-x", "in", "out"}));
}

TEST(CommandLine, HelpMayStandAnywhere) {
  EXPECT_TRUE(ParseCommandLine({"--help"}).help);
  EXPECT_TRUE(ParseCommandLine({"-conf", "f", "-h"}).help);
  EXPECT_TRUE(ParseCommandLine({"check", "--h"}).help);
  const CommandLine line = ParseCommandLine({"ckpt", "ls", "--help"});
  EXPECT_TRUE(line.help);
  EXPECT_EQ(line.subcommand, "ckpt");
}

TEST(CommandLine, NoArgumentsAskForUsage) { EXPECT_TRUE(ParseCommandLine({}).no_arguments); }

TEST(CommandLine, SetsFlagsOfGlog) {
  const int v = FLAGS_v, level = FLAGS_minloglevel;
  const bool to_stderr = FLAGS_logtostderr;
  EXPECT_FALSE(
      ParseCommandLine({"-conf", "f", "-v=2", "--minloglevel", "1", "-logtostderr"}).verbose);
  EXPECT_EQ(FLAGS_v, 2);
  EXPECT_EQ(FLAGS_minloglevel, 1);
  EXPECT_TRUE(FLAGS_logtostderr);
  ParseCommandLine({"-conf", "f", "-v", "1", "-nologtostderr"});
  EXPECT_EQ(FLAGS_v, 1);
  EXPECT_FALSE(FLAGS_logtostderr);
  FLAGS_v = v, FLAGS_minloglevel = level, FLAGS_logtostderr = to_stderr;
}

TEST(CommandLine, TrainIsTheSameAsConf) {
  for (const Args& args : {Args{"train", "f", "-resume", "-set", "a=1", "-host", "h"},
                           Args{"train", "-resume", "-conf", "f", "--set=a=1", "--host=h"}}) {
    const CommandLine line = ParseCommandLine(args);
    EXPECT_EQ(line.subcommand, "train");
    EXPECT_EQ(line.conf, "f");
    EXPECT_EQ(line.host, "h");
    EXPECT_TRUE(line.resume);
    EXPECT_EQ(line.sets, Args{"a=1"});
  }
  EXPECT_EQ(RefusalOf({"train"}), "a file is missing: singa train job.conf");
  EXPECT_EQ(RefusalOf({"train", "f", "g"}), "singa train takes one file, a second is \"g\"");
  EXPECT_EQ(RefusalOf({"train", "f", "-resme"}),
            "unknown option \"-resme\"; did you mean \"-resume\"?");
}

TEST(CommandLine, HelpXIsXHelp) {
  EXPECT_TRUE(ParseCommandLine({"help"}).help);
  EXPECT_EQ(ParseCommandLine({"help"}).subcommand, "");
  for (const char* name : {"check", "ckpt", "version", "train"}) {
    const CommandLine line = ParseCommandLine({"help", name});
    EXPECT_TRUE(line.help);
    EXPECT_EQ(line.subcommand, name);
  }
  EXPECT_TRUE(ParseCommandLine({"help", "ckpt", "ls"}).help);
  EXPECT_EQ(ParseCommandLine({"help", "kReLU"}).topic, "kReLU");
  EXPECT_EQ(RefusalOf({"help", "kReLU", "x"}), "unexpected argument \"x\"");
  const CommandLine own = ParseCommandLine({"help", "-plugin", "gate.so", "Gate"});
  EXPECT_EQ(own.topic, "Gate");
  EXPECT_EQ(own.plugins, (std::vector<std::string>{"gate.so"}));
}

TEST(CommandLine, VersionIsAnOptionToo) {
  EXPECT_EQ(ParseCommandLine({"--version"}).subcommand, "version");
  EXPECT_EQ(ParseCommandLine({"-version"}).subcommand, "version");
  EXPECT_EQ(RefusalOf({"-versoin"}), "unknown option \"-versoin\"; did you mean \"-version\"?");
}

TEST(CommandLine, RefusesUnknownOptions) {
  EXPECT_EQ(RefusalOf({"-cnf", "f"}), "unknown option \"-cnf\"; did you mean \"-conf\"?");
  EXPECT_EQ(RefusalOf({"--ressume", "-conf", "f"}),
            "unknown option \"--ressume\"; did you mean \"-resume\"?");
  EXPECT_EQ(RefusalOf({"-conf", "f", "-logtostder"}),
            "unknown option \"-logtostder\"; did you mean \"-logtostderr\"?");
  EXPECT_EQ(RefusalOf({"-flagfile=x", "-conf", "f"}), "unknown option \"-flagfile\"");
  EXPECT_EQ(RefusalOf({"-xyzzyx=1"}), "unknown option \"-xyzzyx\"");
  EXPECT_EQ(RefusalOf({"--"}), "unknown option \"--\"");
}

TEST(CommandLine, RefusesMissingAndNeedlessValues) {
  EXPECT_EQ(RefusalOf({"-conf"}), "-conf needs a value");
  EXPECT_EQ(RefusalOf({"-conf", "-resume"}), "-conf needs a value");
  EXPECT_EQ(RefusalOf({"-conf="}), "-conf needs a value");
  EXPECT_EQ(RefusalOf({"-conf", "f", "-resume=yes"}), "-resume takes no value, has \"yes\"");
  EXPECT_EQ(RefusalOf({"-conf", "f", "-set", "x"}), "-set needs path=value, is \"x\"");
  EXPECT_EQ(RefusalOf({"-conf", "f", "-singa_job", "x1"}),
            "-singa_job must be an integer, is \"x1\"");
  EXPECT_EQ(RefusalOf({"-conf", "f", "-minloglevel=x"}),
            "-minloglevel must be of type int32, is \"x\"");
  EXPECT_EQ(RefusalOf({"-conf", "f", "-conf", "g"}), "-conf is given twice");
  EXPECT_EQ(RefusalOf({"-resume"}), "-conf is missing: singa -conf job.conf");
  EXPECT_EQ(RefusalOf({"check"}), "a file is missing: singa check job.conf");
}

TEST(CommandLine, RefusesArgumentsThatBelongNowhere) {
  EXPECT_EQ(RefusalOf({"job.conf"}),
            "unexpected argument \"job.conf\"; did you mean \"-conf job.conf\"?");
  EXPECT_EQ(RefusalOf({"chekc", "f"}), "unknown subcommand \"chekc\"; did you mean \"check\"?");
  EXPECT_EQ(RefusalOf({"trian", "f"}), "unknown subcommand \"trian\"; did you mean \"train\"?");
  EXPECT_EQ(RefusalOf({"-conf", "f", "check"}),
            "unexpected argument \"check\": a subcommand comes first: singa check ...");
  EXPECT_EQ(RefusalOf({"-conf", "f", "-svg"}), "singa has no option \"-svg\"");
  EXPECT_EQ(RefusalOf({"-conf", "f", "g"}), "unexpected argument \"g\"");
  EXPECT_EQ(RefusalOf({"check", "f", "g"}), "singa check takes one file, a second is \"g\"");
  EXPECT_EQ(RefusalOf({"version", "x"}), "singa version takes no argument, has \"x\"");
  EXPECT_EQ(RefusalOf({"doctor", "job.conf"}),
            "singa doctor takes no argument, has \"job.conf\"; to check a job, type \"singa check "
            "job.conf\"");
  EXPECT_EQ(RefusalOf({"check", "f", "-resume"}), "singa check has no option \"-resume\"");
}

TEST(Help, NamesEveryExitCodeAndSubcommand) {
  const std::string text = Help("");
  for (const char* code : {" 0 ", " 1 ", " 2 ", "65 ", "66 ", "69 ", "73 ", "74 ", "77 ", "78 ",
                           "79 ", "130", "143", "170", "171"})
    EXPECT_NE(text.find(code), std::string::npos) << code;
  for (const Subcommand& known : Subcommands()) {
    const std::string name = known.name;
    EXPECT_NE(text.find("  " + name + " "), std::string::npos) << name;
    const std::string usage = name == "help" ? "usage: singa -conf" : "usage: singa " + name;
    EXPECT_EQ(Help(name).rfind(usage, 0), 0u) << name;
  }
}

}  // namespace
}  // namespace singa
