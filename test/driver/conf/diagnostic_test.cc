#include "driver/conf/diagnostic.h"

#include <gtest/gtest.h>

namespace singa {
namespace {

Diagnostic At(int line, int column, const std::string& text = "x") {
  Diagnostic diagnostic;
  diagnostic.line = line, diagnostic.column = column, diagnostic.text = text;
  return diagnostic;
}

std::string RenderOne(const std::string& source, const Diagnostic& diagnostic) {
  return Render("F", source, {diagnostic});
}

TEST(EscapeTest, ShowsControlCharacters) {
  EXPECT_EQ(Escape("a\nb\tc\x1B[2J\x7F\x01"), "a\\nb\\tc\\x1b[2J\\x7f\\x01");
  EXPECT_EQ(Escape(std::string_view("\0", 1)), "\\x00");
}

TEST(EscapeTest, ReplacesControlCharactersOfTwoBytes) {
  EXPECT_EQ(Escape("a\xC2\x80\xC2\x9F."), "a??.");
}

TEST(EscapeTest, KeepsOtherCharacters) {
  EXPECT_EQ(Escape("caf\xC3\xA9 \xC2\xA0 \\"), "caf\xC3\xA9 \xC2\xA0 \\");
  EXPECT_EQ(Escape("cut \xC2"), "cut \xC2");
}

TEST(ExcerptTest, CutsATextOfMoreThan60Bytes) {
  EXPECT_EQ(Excerpt(std::string(60, 'a')), std::string(60, 'a'));
  EXPECT_EQ(Excerpt(std::string(61, 'a')), std::string(60, 'a') + "...");
}

TEST(ExcerptTest, CutsBetweenCharacters) {
  EXPECT_EQ(Excerpt(std::string(59, 'a') + "\xC3\xA9z"), std::string(59, 'a') + "...");
}

TEST(ExcerptTest, EscapesAfterTheCut) { EXPECT_EQ(Excerpt("a\n"), "a\\n"); }

TEST(InsertTest, KeepsTheOrderOfPlacesWithOptionsLast) {
  Diagnostics all;
  Diagnostic option = At(1, 1, "option");
  option.set = "gpu";
  Insert(option, &all);
  Insert(At(2, 1, "line 2"), &all);
  Insert(At(1, 9, "column 9"), &all);
  Insert(At(1, 4, "column 4"), &all);
  Insert(At(1, 4, "column 4, later"), &all);
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : all) texts.push_back(diagnostic.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"column 4", "column 4, later", "column 9", "line 2",
                                             "option"}));
}

TEST(ToStringTest, HasPlacePathAndText) {
  Diagnostic diagnostic = At(7, 22, "must be > 0, is -1");
  diagnostic.path = "updater.momentum";
  EXPECT_EQ(ToString("job.conf", diagnostic),
            "job.conf:7:22: error: updater.momentum: must be > 0, is -1");
}

TEST(ToStringTest, NamesTheSeverity) {
  Diagnostic diagnostic = At(1, 1);
  diagnostic.severity = Diagnostic::kWarning;
  EXPECT_EQ(ToString("F", diagnostic), "F:1:1: warning: x");
  diagnostic.severity = Diagnostic::kNote;
  EXPECT_EQ(ToString("F", diagnostic), "F:1:1: note: x");
}

TEST(ToStringTest, AnOptionIsInPlaceOfTheFile) {
  Diagnostic diagnostic = At(7, 22);
  diagnostic.set = "gpu";
  EXPECT_EQ(ToString("F", diagnostic), "-set gpu: error: x");
}

TEST(ToStringTest, EscapesAllThatTheUserGave) {
  Diagnostic diagnostic = At(1, 1, "\x1Bt");
  diagnostic.path = "\x1Bp";
  EXPECT_EQ(ToString("\x1B.conf", diagnostic), "\\x1b.conf:1:1: error: \\x1bp: \\x1bt");
  diagnostic.set = "\x1Bs";
  EXPECT_EQ(ToString("F", diagnostic), "-set \\x1bs: error: \\x1bp: \\x1bt");
}

TEST(DiagnosticRender, PutsTheCaretUnderTheColumn) {
  EXPECT_EQ(RenderOne("one\ntwo\nthree", At(2, 3)), "F:2:3: error: x\ntwo\n  ^\n");
}

TEST(DiagnosticRender, KeepsTabsAboveTheCaret) {
  EXPECT_EQ(RenderOne("\ta\tb", At(1, 4)), "F:1:4: error: x\n\ta\tb\n\t \t^\n");
}

TEST(DiagnosticRender, LeavesOutTheCarriageReturn) {
  EXPECT_EQ(RenderOne("ab\r\ncd", At(1, 2)), "F:1:2: error: x\nab\n ^\n");
}

TEST(DiagnosticRender, CountsACharacterOfSeveralBytesAsOne) {
  EXPECT_EQ(RenderOne("\xC3\xA9z", At(1, 3)), "F:1:3: error: x\n\xC3\xA9z\n ^\n");
}

TEST(DiagnosticRender, AlignsTheCaretWithEscapedCharacters) {
  EXPECT_EQ(RenderOne("\x1Bz", At(1, 2)), "F:1:2: error: x\n\\x1bz\n    ^\n");
}

TEST(DiagnosticRender, AColumnBehindTheLineIsItsEnd) {
  EXPECT_EQ(RenderOne("ab", At(1, 9)), "F:1:9: error: x\nab\n  ^\n");
}

TEST(DiagnosticRender, ALineBehindTheFileIsEmpty) {
  EXPECT_EQ(RenderOne("ab", At(3, 1)), "F:3:1: error: x\n\n^\n");
}

TEST(DiagnosticRender, ShowsTheFirst160BytesOfALongLine) {
  EXPECT_EQ(RenderOne(std::string(400, 'a'), At(1, 3)),
            "F:1:3: error: x\n" + std::string(160, 'a') + "\n  ^\n");
}

TEST(DiagnosticRender, ShowsALongLineAroundTheCaret) {
  const std::string line = std::string(300, 'a') + "#" + std::string(300, 'b');
  EXPECT_EQ(RenderOne(line, At(1, 301)), "F:1:301: error: x\n" + std::string(80, 'a') + "#" +
                                             std::string(79, 'b') + "\n" + std::string(80, ' ') +
                                             "^\n");
}

TEST(DiagnosticRender, CutsALongLineBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 200; ++i) line += "\xC3\xA9";
  const std::string shown = RenderOne("z" + line, At(1, 202));
  EXPECT_EQ(shown.substr(shown.find('\n') + 1, 2), "\xC3\xA9");
  EXPECT_EQ(shown.find("\xA9\n"), shown.find('\n', shown.find('\n') + 1) - 1);
}

TEST(DiagnosticRender, ShowsNoSourceWithoutAPlaceInTheFile) {
  EXPECT_EQ(RenderOne("ab", At(0, 0)), "F:0:0: error: x\n");
  Diagnostic option = At(1, 1);
  option.set = "gpu";
  EXPECT_EQ(RenderOne("ab", option), "-set gpu: error: x\n");
}

TEST(DiagnosticRender, ShowsTheOtherPlaceWithItsNote) {
  Diagnostic diagnostic = At(2, 1);
  diagnostic.note_line = 1, diagnostic.note_column = 2, diagnostic.note = "first here";
  EXPECT_EQ(RenderOne("ab\ncd", diagnostic),
            "F:2:1: error: x\ncd\n^\nF:1:2: note: first here\nab\n ^\n");
}

TEST(DiagnosticRender, ShowsAllInTheirOrder) {
  EXPECT_EQ(Render("F", "ab", {At(1, 2, "b"), At(1, 1, "a")}),
            "F:1:2: error: b\nab\n ^\nF:1:1: error: a\nab\n^\n");
}

}  // namespace
}  // namespace singa
