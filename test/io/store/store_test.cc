#include "io/store/store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/input_file.h"
#include "io/temp_dir.h"
#include "singa/base/error.h"

namespace singa {
namespace {

TEST(Backends, SuggestTheNameThatWasMeant) {
  EXPECT_ERROR(OpenStore("kvfiel", {}), kExitConfig, "\"kvfiel\"", "did you mean \"kvfile\"?");
}

TEST(Backends, SayWhatIsNotBuiltYet) {
  for (const char* name : {"cifar10", "imagefolder", "lmdb", "hdfsfile"})
    if (!Stores().Has(name))
      EXPECT_ERROR(CheckBackend(name), kExitConfig, std::string(name) + "\" is not built yet");
}

TEST(InputFile, SaysWhyItCannotBeOpened) {
  TempDir dir;
  EXPECT_ERROR(InputFile::Open(dir.Path("none")), kExitNoInput, dir.Path("none"));
  EXPECT_ERROR(InputFile::Open(dir.Path("")), kExitNoInput, "folder");
  EXPECT_ERROR(InputFile::Open(dir.Write("a", "") + "/b"), kExitNoInput);
  EXPECT_ERROR(InputFile::Open("/dev/zero"), kExitNoInput, "no regular file");
  ASSERT_EQ(mkfifo(dir.Path("pipe").c_str(), 0600), 0);
  EXPECT_ERROR(InputFile::Open(dir.Path("pipe")), kExitNoInput, "no regular file");
}

TEST(InputFile, NeedsPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything: permission is not tested";
  TempDir dir;
  const std::string path = dir.Write("a", "x");
  chmod(path.c_str(), 0);
  EXPECT_ERROR(InputFile::Open(path), kExitNoPermission, path);
}

TEST(InputFile, NoticesThatItBecameShorter) {
  TempDir dir;
  const InputFile file = InputFile::Open(dir.Write("a", "0123456789"));
  ASSERT_EQ(truncate(file.name().c_str(), 5), 0);
  char bytes[10];
  EXPECT_ERROR(file.ReadAt(0, bytes, 10), kExitIo, "shorter");
}

TEST(InputFile, ReadsNoMoreThanTheLimit) {
  EXPECT_ERROR(InputFile::FromMemory("m", {1, 2, 3}).ReadAll(2), kExitBadData, "limit is 2");
  EXPECT_EQ(InputFile::FromMemory("m", {1, 2, 3}).ReadAll(3).size(), 3u);
}

}  // namespace
}  // namespace singa
