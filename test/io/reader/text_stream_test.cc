#include "io/reader/text_stream.h"

#include <gtest/gtest.h>

#include <set>

#include "io/temp_dir.h"

namespace singa {
namespace {

class TextStreamTest : public ::testing::Test {
 protected:
  std::vector<int> Read(const std::string& text) const {
    TextStream stream(dir_.Write("text", text), vocabulary_);
    std::vector<int> indices;
    for (int index = stream.Next(); index >= 0; index = stream.Next()) indices.push_back(index);
    EXPECT_EQ(stream.Next(), -1);
    return indices;
  }

  const TempDir dir_;
  const Vocabulary vocabulary_{dir_.Write("vocabulary", "\ncba")};
};

TEST_F(TextStreamTest, GivesTheIndicesOfAllCharacters) {
  EXPECT_EQ(Read("abac\n\n"), (std::vector<int>{3, 2, 3, 1, 0, 0}));
  EXPECT_EQ(Read(""), std::vector<int>());
}

TEST_F(TextStreamTest, ReadsATextThatIsLongerThanAPiece) {
  std::string text;
  while (text.size() < 3 * 65536 + 5) text += "abac\nc";
  const std::vector<int> indices = Read(text);
  ASSERT_EQ(indices.size(), text.size());
  for (size_t i = 0; i < text.size(); ++i)
    ASSERT_EQ("\ncba"[indices[i]], text[i]) << "character " << i;
}

TEST_F(TextStreamTest, NamesThePlaceOfACharacterThatTheVocabularyLacks) {
  const std::string bytes = std::string(70000, 'a') + "\n\nabd";
  EXPECT_ERROR(Read(bytes), kExitBadData, "text: byte 70004, in line 3, is \"d\"",
               "vocabulary lacks");
  EXPECT_ERROR(Read("a\xff"), kExitBadData, "byte 1, in line 1, is \"\\xff\"");
}

TEST_F(TextStreamTest, NeedsAFile) {
  EXPECT_ERROR(TextStream(dir_.Path("none"), vocabulary_), kExitNoInput, "none");
}

TEST(CharacterName, IsAsInCAndAnotherForEachByte) {
  EXPECT_EQ(CharacterName('a'), "a");
  EXPECT_EQ(CharacterName(' '), " ");
  EXPECT_EQ(CharacterName('\n'), "\\n");
  EXPECT_EQ(CharacterName('\\'), "\\\\");
  EXPECT_EQ(CharacterName(0xe4), "\\xe4");
  std::set<std::string> names;
  for (int byte = 0; byte < 256; ++byte) names.insert(CharacterName(static_cast<uint8_t>(byte)));
  EXPECT_EQ(names.size(), 256u);
}

}  // namespace
}  // namespace singa
