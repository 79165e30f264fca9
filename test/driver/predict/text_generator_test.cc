#include "driver/predict/text_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "support/driver/character_job.h"

namespace singa::text_generator {
namespace {

// After a comes b, after b comes c, and after c comes a or b, in half of the cases each.
class TextGeneratorTest : public testing::Test {
 protected:
  TextGeneratorTest() {
    const std::vector<float> table = {0, 50, 0, 0, 0, 50, 50, 50, 0};
    WriteTensors(dir_.Path("params.safetensors"), {Stored("t", {3, 3}, table.data())});
  }

  std::string Write(const GenerateOptions& options) {
    const Model model(conf_, {.checkpoint = dir_.Path("params.safetensors")});
    TextGenerator generator(model, vocabulary_, options, 1);
    testing::internal::CaptureStdout();
    generator.Run();
    return testing::internal::GetCapturedStdout();
  }

  const TempDir dir_;
  const Vocabulary vocabulary_{dir_.Write("vocabulary", "abc")};
  const std::string conf_ = dir_.Write("job.conf", CharacterJob());
};

TEST_F(TextGeneratorTest, GoesOnFromThePrime) {
  EXPECT_EQ(Write({.characters = 2, .prime = "bca"}), "bc");
  EXPECT_EQ(Write({.characters = 1, .prime = "ab"}), "c");
}

TEST_F(TextGeneratorTest, TheSeedSaysWhichTextItIs) {
  const std::string text = Write({.characters = 60, .prime = "c", .seed = 3});
  EXPECT_EQ(Write({.characters = 60, .prime = "c", .seed = 3}), text);
  EXPECT_EQ(Write({.characters = 20, .prime = "c", .seed = 3}), text.substr(0, 20));
  EXPECT_NE(Write({.characters = 60, .prime = "c", .seed = 4}), text);
  EXPECT_THAT(text, testing::HasSubstr("ca"));
  EXPECT_THAT(text, testing::HasSubstr("cb"));
}

TEST_F(TextGeneratorTest, APrimeIsMadeOfTheVocabularysCharacters) {
  EXPECT_ERROR(Write({.characters = 1, .prime = "ax"}), kExitBadData,
               dir_.Path("vocabulary") + ": lacks \"x\", which -prime has");
}

TEST_F(TextGeneratorTest, AsksForAPrimeIfTheVocabularyHasNoNewline) {
  EXPECT_ERROR(Write({.characters = 1}), kExitBadData,
               dir_.Path("vocabulary") +
                   ": lacks a newline, with which a text begins: give -prime "
                   "TEXT, of characters that it has");
}

}  // namespace
}  // namespace singa::text_generator
