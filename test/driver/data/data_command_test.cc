#include "driver/data/data_command.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

std::string Printed(const std::vector<std::string>& args) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(DataCommand(args), kExitOk);
  return testing::internal::GetCapturedStdout();
}

TEST(DataCommand, DrawsMnistsFourFiles) {
  TempDir dir;
  const std::string out = dir.Path("new/digits");
  EXPECT_EQ(Printed({"digits", out, "-seed", "3"}), "");
  for (const auto& [name, size] :
       std::vector<std::pair<std::string, size_t>>{{"train-images-idx3-ubyte", 16 + 10000 * 784},
                                                   {"train-labels-idx1-ubyte", 8 + 10000},
                                                   {"t10k-images-idx3-ubyte", 16 + 2000 * 784},
                                                   {"t10k-labels-idx1-ubyte", 8 + 2000}})
    EXPECT_EQ(std::filesystem::file_size(out + "/" + name), size) << name;
  EXPECT_EQ(Printed({"stat", out + "/t10k-images-idx3-ubyte"}).substr(0, 28),
            "records  2000\nnumbers  784\ns");
}

TEST(DataCommand, ConvertsThereAndBack) {
  TempDir dir;
  const std::string images = dir.Write("i", Idx({2, 1, 2}, "abcd"));
  const std::string labels = dir.Write("l", Idx({2}, "\1\2"));
  const std::string kv = dir.Path("kv"), csv = dir.Path("csv");
  Printed({"convert", "-labels", labels, images, kv});
  Printed({"convert", "--to=textfile", kv, csv});
  EXPECT_EQ(TempDir::Read(csv), "1,97,98\n2,99,100\n");
  Printed({"convert", "-to", "idx", "-shape", "1,2", "-to_labels", dir.Path("l2"), csv,
           dir.Path("i2")});
  EXPECT_EQ(TempDir::Read(dir.Path("i2")), TempDir::Read(images));
  EXPECT_EQ(TempDir::Read(dir.Path("l2")), TempDir::Read(labels));
}

TEST(DataCommand, LeavesOutAsManyBadRecordsAsItIsTold) {
  TempDir dir;
  const std::string lines = dir.Write("lines", "1,2\n1,x\n3,4\n"), out = dir.Path("out.csv");
  EXPECT_ERROR(DataCommand({"convert", lines, out}), kExitBadData, "lines:2");
  Printed({"convert", "-max_bad", "1", lines, out});
  EXPECT_EQ(TempDir::Read(out), "1,2\n3,4\n");
  EXPECT_EQ(Printed({"stat", "-max_bad", "2", lines}).substr(0, 10), "records  2");
}

TEST(DataCommand, KeepsTheFilesOfAnImageFolder) {
  TempDir dir;
  const std::string images = dir.Write("i", Idx({2, 1, 2}, "abcd"));
  const std::string tar = dir.Path("tar"), kv = dir.Path("kv"), grey = dir.Path("grey");
  Printed({"convert", "-labels", dir.Write("l", Idx({2}, std::string("\1\0", 2))), "-to",
           "imagefolder", images, tar});
  Printed({"convert", "-encoded", "-mean", dir.Path("mean"), tar, kv});
  EXPECT_EQ(Printed({"stat", "-encoded", kv}).substr(0, 37),
            "records  2\nnumbers  6\nshape    3, 1, ");
  Printed({"convert", "-encoded", "-shape", "1,2", "-to", "textfile", kv, grey});
  EXPECT_EQ(TempDir::Read(grey), "0,99,100\n1,97,98\n");
  Printed({"convert", "-encoded", "-to", "lmdb", tar, dir.Path("lmdb")});
  const std::string of_lmdb = Printed({"stat", dir.Path("lmdb")});
  EXPECT_EQ(of_lmdb, Printed({"stat", "-encoded", kv}));
  EXPECT_EQ(Printed({"stat", dir.Path("mean")}).substr(0, 37),
            "records  1\nnumbers  6\nshape    3, 1, ");
  EXPECT_ERROR(DataCommand({"convert", "-encoded", "-to", "idx", "-to_labels", "x", tar, "b"}),
               kExitUsage, "-encoded", "no image files");
  EXPECT_ERROR(DataCommand({"convert", "-encoded", "-shape", "1,2", tar, "b"}), kExitUsage,
               "-encoded");
  EXPECT_ERROR(DataCommand({"stat", "-encoded", dir.Path("lmdb")}), kExitUsage, "not of lmdb");
  EXPECT_ERROR(DataCommand({"convert", "-encoded=1", tar, "b"}), kExitUsage, "takes no value");
}

TEST(DataCommand, ConvertsMnistToTheSizeOfV03) {
  const char* data = std::getenv("SINGA_DATA");
  if (!data) GTEST_SKIP() << "SINGA_DATA is not set: MNIST is not tested";
  TempDir dir;
  Printed({"convert", std::string(data) + "/mnist/t10k-images-idx3-ubyte.gz", dir.Path("kv")});
  EXPECT_EQ(std::filesystem::file_size(dir.Path("kv")), 8170000u);
}

TEST(DataCommand, ExplainsItself) {
  for (const char* help : {"-help", "--help", "-h"})
    EXPECT_NE(Printed({"convert", help}).find("-to_labels FILE"), std::string::npos);
}

TEST(DataCommand, RefusesWrongUse) {
  TempDir dir;
  const std::string idx = dir.Write("i", Idx({1, 1, 1}, "a"));
  EXPECT_ERROR(DataCommand({}), kExitUsage, "digits, convert, stat");
  EXPECT_ERROR(DataCommand({"digit"}), kExitUsage, "did you mean \"digits\"");
  EXPECT_ERROR(DataCommand({"digits"}), kExitUsage, "singa data digits DIR");
  EXPECT_ERROR(DataCommand({"digits", "a", "b"}), kExitUsage, "got 2");
  EXPECT_ERROR(DataCommand({"digits", "a", "-seed"}), kExitUsage, "-seed needs a value");
  EXPECT_ERROR(DataCommand({"digits", "a", "-seed", "x"}), kExitUsage, "\"x\"");
  EXPECT_ERROR(DataCommand({"digits", "a", "-sed", "1"}), kExitUsage, "did you mean \"seed\"");
  EXPECT_ERROR(DataCommand({"convert", "-to", "idx", idx, "b"}), kExitUsage, "-to_labels");
  EXPECT_ERROR(DataCommand({"convert", "-no_labels", "-to", "csv", idx, "b"}), kExitUsage, "csv");
  EXPECT_ERROR(DataCommand({"convert", "-no_labels", "-shape", "1,,2", idx, "b"}), kExitUsage,
               "-shape");
  EXPECT_ERROR(DataCommand({"stat", idx}), kExitUsage, "-labels");
  EXPECT_ERROR(DataCommand({"stat", "-from", "kvfle", idx}), kExitUsage, "did you mean \"kvfile\"");
}

TEST(DataCommand, NamesTheMissingFile) {
  TempDir dir;
  EXPECT_ERROR(DataCommand({"stat", dir.Path("none")}), kExitNoInput, dir.Path("none"));
}

TEST(DataCommand, SaysWhereItCannotWrite) {
  TempDir dir;
  const std::string csv = dir.Write("a", "1,2\n");
  EXPECT_ERROR(DataCommand({"convert", csv, dir.Path("no/folder")}), kExitCantCreate, "no/folder");
  const std::string file = dir.Write("b", "");
  EXPECT_ERROR(DataCommand({"convert", "-to", "lmdb", csv, file}), kExitCantCreate, file);
}

TEST(DataCommand, ReplacesNothingButFiles) {
  TempDir dir;
  const std::string csv = dir.Write("a", "1,2\n"), pipe = dir.Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_ERROR(DataCommand({"convert", csv, pipe}), kExitCantCreate, pipe);
  EXPECT_ERROR(DataCommand({"convert", "-mean", pipe, csv, dir.Path("b")}), kExitCantCreate, pipe);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  dir.Write("there", "old");
  std::filesystem::create_symlink("there", dir.Path("link.csv"));
  Printed({"convert", csv, dir.Path("link.csv")});
  EXPECT_EQ(TempDir::Read(dir.Path("there")), "1,2\n");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.Path("link.csv")));
}

TEST(DataCommand, WritesNoFileThatItReadsOrWritesAlready) {
  TempDir dir;
  const std::string csv = dir.Write("a", "1,2\n"), out = dir.Path("out");
  EXPECT_ERROR(DataCommand({"convert", csv, dir.Path("./a")}), kExitUsage, "SRC and DST");
  EXPECT_ERROR(DataCommand({"convert", "-mean", out, csv, out}), kExitUsage, "DST and -mean");
  EXPECT_ERROR(DataCommand({"convert", "-mean", csv, csv, out}), kExitUsage, "SRC and -mean");
  EXPECT_EQ(TempDir::Read(csv), "1,2\n");
}

TEST(DataCommand, SplitsTablesAndListsAlone) {
  TempDir dir;
  const std::string csv = dir.Write("a", "x\ty\n1\t\"a\n\"\n2\tb\n");
  const std::string train = dir.Path("train"), test = dir.Path("test");
  const auto split = [&](std::vector<std::string> flags, const std::string& path) {
    flags.insert(flags.begin(), "split");
    flags.insert(flags.end(), {path, train, test});
    return DataCommand(flags);
  };
  EXPECT_ERROR(split({}, dir.Write("i", Idx({1, 1, 1}, "a"))), kExitUsage, "is idx; only tables");
  EXPECT_ERROR(split({"-header"}, dir.Write("l", "a.png 0\n")), kExitUsage, "-header");
  EXPECT_ERROR(split({"-test", "1"}, csv), kExitUsage, "-test must be > 0 and < 1, is 1");
  EXPECT_ERROR(split({"-label_column", "x"}, csv), kExitUsage, "-by_class");
  EXPECT_ERROR(DataCommand({"split", csv, train, dir.Path("./train")}), kExitUsage,
               "TRAIN and TEST are the same file");
  EXPECT_EQ(split({"-header", "-separator", "\\t", "-test", "0.5", "-seed", "3"}, csv), kExitOk);
  EXPECT_EQ(TempDir::Read(train).size() + TempDir::Read(test).size(), 2 * 4u + 7u + 4u);
}

}  // namespace
}  // namespace singa
