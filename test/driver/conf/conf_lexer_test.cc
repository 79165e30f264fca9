#include "driver/conf/conf_lexer.h"

#include <gtest/gtest.h>

#include <functional>

#include "singa/base/str_cat.h"

namespace singa {
namespace {

using google::protobuf::io::Tokenizer;

// Calls `call` with a lexer at the first token of `text`. Returns its error as LINE:COLUMN: TEXT;
// "" if there is none.
std::string ErrorOf(const std::string& text, const std::function<void(ConfLexer*)>& call) {
  ConfLexer lexer(text);
  try {
    lexer.Next();
    call(&lexer);
  } catch (const SyntaxError& error) {
    const OpenBracket& open = error.unclosed;
    return StrCat(error.line, ":", error.column, ": ", error.text,
                  open.line > 0 ? StrCat(" (from ", open.line, ":", open.column, ")") : "");
  }
  return "";
}
std::string ErrorOfTokens(const std::string& text) {
  return ErrorOf(text, [](ConfLexer* lexer) {
    while (!lexer->AtEnd()) lexer->Next();
  });
}
std::string ErrorOfScalar(const std::string& text) {
  return ErrorOf(text, [](ConfLexer* lexer) { lexer->ReadScalar(); });
}
std::string ErrorOfSkip(const std::string& text) {
  return ErrorOf(text, [](ConfLexer* lexer) { lexer->SkipValue(); });
}

Scalar ScalarOf(const std::string& text) {
  ConfLexer lexer(text);
  lexer.Next();
  return lexer.ReadScalar();
}

TEST(ConfLexerTest, ReadsTokensWithTheirPlacesFromOne) {
  ConfLexer lexer("name: 5\n  {");
  lexer.Next();
  EXPECT_TRUE(lexer.AtIdentifier());
  EXPECT_EQ(lexer.token().text, "name");
  EXPECT_EQ(lexer.line(), 1);
  EXPECT_EQ(lexer.column(), 1);
  lexer.Next();
  EXPECT_TRUE(lexer.At(':'));
  lexer.Next();
  EXPECT_EQ(lexer.token().type, Tokenizer::TYPE_INTEGER);
  lexer.Next();
  EXPECT_TRUE(lexer.AtOpening());
  EXPECT_EQ(lexer.line(), 2);
  EXPECT_EQ(lexer.column(), 3);
  lexer.Next();
  EXPECT_TRUE(lexer.AtEnd());
}

TEST(ConfLexerTest, ATabIsOneColumn) {
  ConfLexer lexer("\t\tx");
  lexer.Next();
  EXPECT_EQ(lexer.column(), 3);
}

TEST(ConfLexerTest, SkipsComments) {
  ConfLexer lexer("# caf\xC3\xA9 {\nx # }");
  lexer.Next();
  EXPECT_EQ(lexer.token().text, "x");
  lexer.Next();
  EXPECT_TRUE(lexer.AtEnd());
}

TEST(ConfLexerTest, ConsumesOnlyTheSymbolThatIsThere) {
  ConfLexer lexer("a ;");
  lexer.Next();
  EXPECT_FALSE(lexer.Consume('a'));  // a word, not a symbol
  lexer.Next();
  EXPECT_FALSE(lexer.Consume(','));
  EXPECT_TRUE(lexer.At(';'));
  EXPECT_TRUE(lexer.Consume(';'));
  EXPECT_TRUE(lexer.AtEnd());
}

TEST(ConfLexerTest, RefusesCharactersThatAreNoText) {
  EXPECT_EQ(ErrorOfTokens("a: \xC3\xA9"),
            "1:4: only strings and comments may have characters beyond ASCII");
  EXPECT_EQ(ErrorOfTokens("a: \x01"), "1:4: the file has a control character here; is it text?");
}

TEST(ConfLexerTest, AStringEndsInItsLine) {
  EXPECT_EQ(ErrorOfTokens("a:\n 'b\n'"), "2:2: the string has no closing quote");
  EXPECT_EQ(ErrorOfTokens("a: \"b"), "1:4: the string has no closing quote");
}

TEST(ConfLexerTest, OtherErrorsAreTheTokenizersInLowerCase) {
  EXPECT_EQ(ErrorOfTokens("a: '\\xg'"), "1:7: expected hex digits for escape sequence");
}

TEST(ConfLexerTest, AScalarHasItsSignApart) {
  const Scalar scalar = ScalarOf("-2.5f ");
  EXPECT_TRUE(scalar.negative);
  EXPECT_EQ(scalar.text, "2.5f");
  EXPECT_EQ(scalar.type, Tokenizer::TYPE_FLOAT);
  EXPECT_FALSE(ScalarOf("kTrain").negative);
}

TEST(ConfLexerTest, AdjacentStringsAreOneValue) {
  const Scalar scalar = ScalarOf("'a\\n' \"b\"\n'c' d");
  EXPECT_EQ(scalar.type, Tokenizer::TYPE_STRING);
  EXPECT_EQ(scalar.text, "'a\\n'");
  EXPECT_EQ(scalar.value, "a\nbc");
}

TEST(ConfLexerTest, ASymbolIsNoScalar) {
  EXPECT_EQ(ErrorOfScalar("}"), "1:1: expected a value, found \"}\"");
  EXPECT_EQ(ErrorOfScalar(""), "1:1: expected a value, found the end of the file");
  EXPECT_EQ(ErrorOfScalar("- -1"), "1:3: expected a value, found \"-\"");
}

TEST(ConfLexerTest, SkipsAValueOfAnyKind) {
  for (const char* value :
       {"5", "-5", "'a' 'b'", "{ a: [1, 2] b < c: '}' > }", "[ { x: 1 }, 2 ]", "{}", "[]"}) {
    ConfLexer lexer(StrCat(value, " next"));
    lexer.Next();
    lexer.SkipValue();
    EXPECT_EQ(lexer.token().text, "next") << value;
  }
}

TEST(ConfLexerTest, SkippingGivesTheLastWord) {
  const auto word = [](const std::string& text) {
    ConfLexer lexer(text);
    lexer.Next();
    return lexer.SkipValue();
  };
  EXPECT_EQ(word("{ phase: TRAIN }"), "TRAIN");
  EXPECT_EQ(word("{ phase: 'TRAIN' }"), "phase");
  EXPECT_EQ(word("{ }"), "");
  EXPECT_EQ(word("TRAIN"), "");
}

TEST(ConfLexerTest, ABracketIsClosedByItsOwnKind) {
  EXPECT_EQ(ErrorOfSkip("{ a: 1 ]"), "1:8: expected \"}\", found \"]\"");
  EXPECT_EQ(ErrorOfSkip("< a: 1 }"), "1:8: expected \">\", found \"}\"");
  EXPECT_EQ(ErrorOfSkip("[ 1, { 2 > ]"), "1:10: expected \"}\", found \">\"");
}

TEST(ConfLexerTest, TheEndOfTheFileNamesTheOpenBracket) {
  EXPECT_EQ(ErrorOfSkip("\n {\n a: [ 1"),
            "3:8: the file ends, but the \"[\" of line 3 is not closed (from 3:5)");
}

TEST(ConfLexerTest, BracketsNestToADepthOf64) {
  const std::string most = std::string(64, '{') + std::string(64, '}');
  EXPECT_EQ(ErrorOfSkip(most), "");
  EXPECT_EQ(ErrorOfSkip("{" + most + "}"), "1:65: messages are nested deeper than 64");
}

TEST(ConfLexerTest, FindsStringsWithTheirQuotesAndCutsLongWords) {
  ConfLexer lexer("'a' " + std::string(99, 'b'));
  lexer.Next();
  EXPECT_EQ(lexer.Found(), "'a'");
  lexer.Next();
  EXPECT_EQ(lexer.Found(), "\"" + std::string(60, 'b') + "...\"");
}

TEST(OpenBracketTest, HasItsEnd) {
  EXPECT_EQ((OpenBracket{'{'}.end()), '}');
  EXPECT_EQ((OpenBracket{'<'}.end()), '>');
  EXPECT_EQ((OpenBracket{'['}.end()), ']');
}

}  // namespace
}  // namespace singa
