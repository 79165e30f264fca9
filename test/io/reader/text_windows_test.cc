#include "io/reader/text_windows.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include "io/temp_dir.h"
#include "io/vocabulary.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class TextWindowsTest : public ::testing::Test {
 protected:
  // Returns all windows of a segment, each as its characters.
  std::vector<std::string> Read(const TextOptions& options, int64_t segment) {
    const Vocabulary vocabulary(options.vocabulary);
    const TextWindows text(options);
    std::vector<std::string> windows;
    for (int64_t k = 0; k < text.windows(); ++k) {
      std::string& window = windows.emplace_back();
      for (int64_t l = 0; l <= options.length; ++l)
        window += vocabulary.Character(text.At(text.BeginOf(segment, k))[l]);
    }
    return windows;
  }
  TextOptions Text(const std::string& text, int64_t segments, int64_t length) {
    return {.path = dir_.Write("text", text),
            .vocabulary = dir_.Write("vocabulary", "zyxwvutsrqponmlkjihgfedcba\n"),
            .segments = segments,
            .length = length};
  }

  const TempDir dir_;
};

using Windows = std::vector<std::string>;

TEST_F(TextWindowsTest, OverlapByOneCharacter) {
  const TextOptions options = Text("abcdefghijklmnop", 2, 3);
  EXPECT_EQ(Read(options, 0), (Windows{"abcd", "defg"}));
  EXPECT_EQ(Read(options, 1), (Windows{"ijkl", "lmno"}));
  const TextWindows text(options);
  EXPECT_EQ(text.PlaceInFile(text.BeginOf(1, 1)), 11);  // the place of the l
}

TEST_F(TextWindowsTest, ReachTheLastCharacterAndNotBeyond) {
  EXPECT_EQ(Read(Text("abcdefg", 1, 3), 0), (Windows{"abcd", "defg"}));
  EXPECT_EQ(Read(Text("abcdef", 1, 3), 0), (Windows{"abcd"}));
  EXPECT_EQ(Read(Text("abcd", 1, 3), 0), (Windows{"abcd"}));
  EXPECT_EQ(Read(Text("abc", 1, 1), 0), (Windows{"ab", "bc"}));
}

TEST_F(TextWindowsTest, BeginAnywhere) {
  const TextOptions options = Text("abcdefghi", 2, 3);  // two segments of 4
  const TextWindows text(options);
  ASSERT_EQ(text.begins(), 5);
  const Vocabulary vocabulary(options.vocabulary);
  EXPECT_EQ(vocabulary.Character(text.At(4)[0]), 'e');
  EXPECT_EQ(vocabulary.Character(text.At(4)[3]), 'h');  // the last one that a segment has
  EXPECT_EQ(text.LargestAnywhere(), 25);                // of the a
}

TEST_F(TextWindowsTest, LeaveOutWhatIsNoWholeSegment) {
  const TextOptions options = Text("abcdefghijk", 3, 2);  // 3 x 3 of 11
  EXPECT_EQ(Read(options, 0), (Windows{"abc"}));
  EXPECT_EQ(Read(options, 2), (Windows{"ghi"}));
}

TEST_F(TextWindowsTest, AreOfAPartOfTheText) {
  TextOptions options = Text("abcdefghijk", 1, 1);
  options.end = 0.3;  // floor(3.3)
  EXPECT_EQ(Read(options, 0), (Windows{"ab", "bc"}));
  options.begin = 0.3, options.end = 0.6;
  EXPECT_EQ(Read(options, 0), (Windows{"de", "ef"}));
  options.begin = 0.6, options.end = 1;
  EXPECT_EQ(Read(options, 0), (Windows{"gh", "hi", "ij", "jk"}));
}

TEST_F(TextWindowsTest, CountNewlinesAsCharacters) {
  EXPECT_EQ(Read(Text("a\nb\n", 1, 3), 0), (Windows{"a\nb\n"}));
}

TEST_F(TextWindowsTest, NameACharacterThatTheVocabularyLacks) {
  TextOptions options = Text("ab\ncd\nefGh", 1, 2);
  EXPECT_ERROR(TextWindows{options}, kExitBadData, options.path,
               "byte 8, in line 3, is \"G\", which the vocabulary " + options.vocabulary);
  options.begin = 0.5;
  EXPECT_ERROR(TextWindows{options}, kExitBadData, "byte 8, in line 3, is \"G\"");
  options.begin = 0, options.end = 0.8;  // the G is not read
  EXPECT_EQ(TextWindows(options).windows(), 3);
  EXPECT_ERROR(TextWindows{Text("ab\r\ncd", 1, 2)}, kExitBadData, "is \"\\x0d\"");
}

TEST_F(TextWindowsTest, LongerThanTheTextAreAnError) {
  EXPECT_ERROR(TextWindows{Text("abcdefg", 2, 3)}, kExitBadData,
               "windows longer than the text: it has 7 characters, the part that is read 7, each "
               "of its 2 segments 3; a window has 4");
  EXPECT_ERROR(TextWindows{Text("", 1, 3)}, kExitBadData, "it has 0 characters");
  EXPECT_ERROR(TextWindows{Text("abc", 5, 1)}, kExitBadData, "each of its 5 segments 0");
}

TEST_F(TextWindowsTest, NeedFilesThatCanBeRead) {
  TextOptions options = Text("abcdefg", 1, 3);
  options.path = dir_.Path("none");
  EXPECT_ERROR(TextWindows{options}, kExitNoInput, "none");
  options.path = dir_.Path("");
  EXPECT_ERROR(TextWindows{options}, kExitNoInput, "is a folder");
  options.path = dir_.Path("pipe");
  ASSERT_EQ(mkfifo(options.path.c_str(), 0600), 0);
  EXPECT_ERROR(TextWindows{options}, kExitNoInput, "is no regular file");
  options = Text("abcdefg", 1, 3);
  options.vocabulary = dir_.Path("none");
  EXPECT_ERROR(TextWindows{options}, kExitNoInput, "none");
}

TEST_F(TextWindowsTest, TakeAByteACharacter) {
  TextOptions options = Text("abcdefghij", 1, 3);
  EXPECT_EQ(TextWindows::Bytes(options), 10);
  options.end = 0.5;
  EXPECT_EQ(TextWindows::Bytes(options), 5);
  options.path = dir_.Path("none");
  EXPECT_EQ(TextWindows::Bytes(options), 0);
}

TEST_F(TextWindowsTest, VocabularyHasEachByteOnce) {
  std::string all;
  for (int i = 255; i >= 0; --i) all += static_cast<char>(i);
  const Vocabulary vocabulary(dir_.Write("all", all));
  EXPECT_EQ(vocabulary.size(), 256);
  EXPECT_EQ(vocabulary.IndexOf('\n'), 245);
  EXPECT_EQ(vocabulary.Character(245), '\n');
  EXPECT_EQ(Vocabulary(dir_.Write("one", "\n")).IndexOf('a'), -1);
  EXPECT_ERROR(Vocabulary(dir_.Write("empty", "")), kExitBadData, "is empty");
  EXPECT_ERROR(Vocabulary(dir_.Write("twice", "ab\ncd\n")), kExitBadData,
               "byte 5 is \"\\x0a\" again, which byte 2 is");
  EXPECT_ERROR(Vocabulary(dir_.Write("more", all + "a")), kExitBadData, "byte 256 is \"a\" again");
}

}  // namespace
}  // namespace singa
