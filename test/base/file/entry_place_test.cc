// Tests the place that a path leads to. driver/workspace_owners_test.cc tests entries of other
// users, for which the tests must run as root.
#include "base/file/entry_place.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file/file_system.h"
#include "io/temp_dir.h"

namespace singa {
namespace {

namespace fs = std::filesystem;

class EntryPlaceTest : public testing::Test {
 protected:
  EntryPlaceTest() {
    fs::create_directories(root_ + "/a/b");
    std::ofstream(root_ + "/a/b/file") << "text";
  }
  EntryPlace Place(const std::string& path) const {
    return EntryPlace(root_, folder_.get(), root_ + "/" + path);
  }
  static std::string Read(const Descriptor& file) {
    std::string text(100, '\0');
    const ssize_t n = ::read(file.get(), text.data(), text.size());
    return text.substr(0, n > 0 ? static_cast<size_t>(n) : 0);
  }
  // Expects the WriteError that `use` throws.
  template <typename Use>
  static void ExpectError(const Use& use, ExitCode code, const std::string& text) {
    try {
      use();
      ADD_FAILURE() << "no error: " << text;
    } catch (const WriteError& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }

  const TempDir dir_;
  const std::string root_ = dir_.Path("root");
  const bool made_ = fs::create_directory(root_);
  const Descriptor folder_{::open(root_.c_str(), O_DIRECTORY | O_RDONLY | O_CLOEXEC)};
};

TEST_F(EntryPlaceTest, IsTheLastNameInAnOpenFolder) {
  const EntryPlace place = Place("a/./b/../b/file");
  EXPECT_STREQ(place.name(), "file");
  EXPECT_NE(place.folder(), folder_.get());
  EXPECT_EQ(Read(place.OpenFile(O_RDWR)), "text");
  const EntryPlace direct = Place("new");
  EXPECT_EQ(direct.folder(), folder_.get());
}

TEST_F(EntryPlaceTest, TheRootItselfIsAPlace) {
  const Descriptor opened = EntryPlace(root_, folder_.get(), root_).OpenFolder();
  EXPECT_EQ(::faccessat(opened.get(), "a/b/file", R_OK, 0), 0);
}

TEST_F(EntryPlaceTest, AnotherFoldersEntriesAreNone) {
  ExpectError([&] { EntryPlace(root_, folder_.get(), dir_.Path("other")); }, kExitCantCreate,
              "is not in " + root_);
  ExpectError([&] { Place("../other"); }, kExitCantCreate, "is not in " + root_);
  ExpectError([&] { EntryPlace(root_, folder_.get(), "relative"); }, kExitCantCreate,
              "is not in " + root_);
}

TEST_F(EntryPlaceTest, AFolderOnTheWayMustBeThere) {
  ExpectError([&] { Place("none/file"); }, kExitIo, "cannot open");
  ExpectError([&] { Place("a/b/file/more"); }, kExitIo, "cannot open");
}

TEST_F(EntryPlaceTest, AFileIsMadeIfTheFlagsSaySo) {
  const EntryPlace place = Place("a/new");
  ExpectError([&] { place.OpenFile(O_RDWR); }, kExitCantCreate, "cannot open");
  EXPECT_GE(place.OpenFile(O_RDWR | O_CREAT).get(), 0);
  EXPECT_TRUE(fs::exists(root_ + "/a/new"));
}

// The folder may be moved away, and a link may take its place.
TEST_F(EntryPlaceTest, StaysInTheFolderThatItHasLookedUp) {
  const EntryPlace place = Place("a/b/file");
  fs::rename(root_ + "/a", root_ + "/moved");
  fs::create_directories(root_ + "/a/b");
  std::ofstream(root_ + "/a/b/file") << "another";
  EXPECT_EQ(Read(place.OpenFile(O_RDWR)), "text");
}

TEST_F(EntryPlaceTest, OwnLinksToFoldersAreFollowed) {
  fs::create_symlink("a/b", root_ + "/link");
  EXPECT_EQ(Read(Place("link/file").OpenFile(O_RDWR)), "text");
}

TEST_F(EntryPlaceTest, ALinkIsNoFile) {
  fs::create_symlink("file", root_ + "/a/b/link");
  ExpectError([&] { Place("a/b/link").OpenFile(O_RDWR); }, kExitCantCreate,
              "is a link, must be a file: remove it");
}

TEST_F(EntryPlaceTest, APipeOrAFolderIsNoFile) {
  ASSERT_EQ(::mkfifo((root_ + "/pipe").c_str(), 0600), 0);
  ExpectError([&] { Place("pipe").OpenFile(O_RDWR); }, kExitCantCreate, "is no file");
  ExpectError([&] { Place("a").OpenFile(O_RDWR); }, kExitCantCreate, "cannot open");
}

TEST_F(EntryPlaceTest, AFileIsNoFolder) {
  ExpectError([&] { Place("a/b/file").OpenFolder(); }, kExitIo, "cannot open");
  EXPECT_GE(Place("a/b").OpenFolder().get(), 0);
}

TEST_F(EntryPlaceTest, WithoutARootAPathIsLookedUpAsTheSystemDoes) {
  fs::create_symlink(root_, dir_.Path("link"));
  const EntryPlace place(dir_.Path("link/a/b/file"));
  EXPECT_EQ(place.folder(), AT_FDCWD);
  EXPECT_EQ(Read(place.OpenFile(O_RDWR)), "text");
  EXPECT_GE(EntryPlace(dir_.Path("link")).OpenFolder().get(), 0);
}

}  // namespace
}  // namespace singa
