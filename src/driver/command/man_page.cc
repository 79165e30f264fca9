// Makes man pages of the help of subcommands. Lines of the help that begin at the margin are
// paragraphs; "  WORDS  text" describes WORDS; other indented lines, and tables, stay as they are.
#include <cctype>
#include <sstream>

#include "driver/command/completion.h"
#include "driver/command/help.h"
#include "driver/version.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Escapes a line of text for roff.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  const bool is_request = !escaped.empty() && (escaped[0] == '.' || escaped[0] == '\'');
  return is_request ? "\\&" + escaped : escaped;
}

std::string UpperCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Writes the lines of a help behind its usage.
class Body {
 public:
  void Add(const std::string& line) {
    const size_t margin = line.find_first_not_of(' ');
    if (margin == std::string::npos) return End();
    if (margin == 0) {
      if (kind_ != kText) Begin(kText, text_.empty() ? "" : ".PP\n");
      text_ += Roff(line) + "\n";
      return;
    }
    const size_t gap = line.find("  ", margin);
    size_t meaning = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
    // Long WORDS have one blank behind them, and the meaning in the column of the last one.
    const bool aligned = kind_ == kItems && line.size() > column_ && line[column_ - 1] == ' ';
    if (meaning == std::string::npos && aligned && margin <= kItemMargin) meaning = column_;
    const bool is_item =
        meaning != std::string::npos && line.find("   ", meaning) == std::string::npos;
    if (kind_ != kLines && margin <= kItemMargin && is_item) {
      if (kind_ != kItems) Begin(kItems, "");
      column_ = meaning;
      std::string words = line.substr(margin, meaning - margin);
      words.erase(words.find_last_not_of(' ') + 1);
      text_ += ".TP\n\\fB" + Roff(words) + "\\fR\n" + Roff(line.substr(meaning)) + "\n";
    } else if (kind_ == kItems && margin > kItemMargin) {
      text_ += Roff(line.substr(margin)) + "\n";
    } else {
      if (kind_ != kLines) Begin(kLines, text_.empty() ? ".nf\n" : ".PP\n.nf\n");
      text_ += Roff(line) + "\n";
    }
  }

  std::string Take() {
    End();
    return text_;
  }

 private:
  enum Kind : unsigned char { kNone, kText, kItems, kLines };
  static constexpr size_t kItemMargin = 4;

  void End() {
    if (kind_ == kLines) text_ += ".fi\n";
    kind_ = kNone;
  }
  void Begin(Kind kind, const char* request) {
    End();
    kind_ = kind;
    text_ += request;
  }

  Kind kind_ = kNone;
  size_t column_ = 0;  // of the last item's text
  std::string text_;
};

}  // namespace

std::string ManPage(const Subcommand* subcommand) {
  const std::string name = subcommand ? StrCat("singa-", subcommand->name) : "singa";
  const std::string brief = subcommand ? subcommand->brief : "trains neural nets";
  std::istringstream help(Help(subcommand ? subcommand->name : ""));
  std::string page = StrCat(".TH ", UpperCase(Roff(name)), " 1 \"\" \"singa ",
                            std::string(kSingaVersion), "\" \"User Commands\"\n.SH NAME\n",
                            Roff(name), " \\- ", Roff(brief), "\n.SH SYNOPSIS\n.nf\n");
  constexpr size_t kUsageWord = 7;  // letters of "usage: "
  std::string line;
  while (std::getline(help, line) && !line.empty())
    page += Roff(line.size() > kUsageWord ? line.substr(kUsageWord) : line) + "\n";
  page += ".fi\n.SH DESCRIPTION\n";
  Body body;
  while (std::getline(help, line)) body.Add(line);
  page += body.Take();
  std::string others;
  for (const Subcommand& known : Subcommands())
    if (known.help) others += StrCat(", \\fBsinga\\-", known.name, "\\fR(1)");
  return page + ".SH SEE ALSO\n" + (subcommand ? "\\fBsinga\\fR(1)\n" : others.substr(2) + "\n");
}

}  // namespace singa
