#include "driver/conf/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace singa {
namespace {

constexpr size_t kMaxExcerpt = 60;
constexpr size_t kMaxLine = 160;  // maximum bytes of a source line that are shown

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string_view Line(const std::vector<size_t>& starts, const std::string& source, int line) {
  if (line < 1 || static_cast<size_t>(line) > starts.size()) return {};
  const size_t begin = starts[line - 1];
  std::string_view text = std::string_view(source).substr(begin, source.find('\n', begin) - begin);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

// Returns the part of a long line around `column`, and makes `column` relative to it.
std::string_view Window(std::string_view line, size_t* column) {
  if (line.size() <= kMaxLine) return line;
  size_t begin = *column < kMaxLine * 3 / 4 ? 0 : *column - kMaxLine / 2;
  while (begin > 0 && IsContinuation(line[begin])) --begin;
  size_t end = std::min(line.size(), begin + kMaxLine);
  while (end < line.size() && IsContinuation(line[end])) ++end;
  *column -= begin;
  return line.substr(begin, end - begin);
}

// Returns spaces of the width of `text`. Tabs stay, so that the caret is under its column.
std::string Blank(std::string_view text) {
  std::string blank;
  for (char c : text) {
    if (c == '\t')
      blank += '\t';
    else if (!IsContinuation(c))
      blank.append(Escape(std::string_view(&c, 1)).size(), ' ');
  }
  return blank;
}

std::string EscapeButTabs(std::string_view text) {
  std::string out;
  for (size_t tab; (tab = text.find('\t')) != std::string_view::npos; text.remove_prefix(tab + 1))
    out += Escape(text.substr(0, tab)) + '\t';
  return out + Escape(text);
}

std::string SourceAndCaret(std::string_view line, int column_from_1) {
  size_t column = column_from_1 - 1;
  if (column > line.size()) column = line.size();
  const std::string_view shown = Window(line, &column);
  return EscapeButTabs(shown) + "\n" + Blank(shown.substr(0, column)) + "^\n";
}

}  // namespace

std::string Escape(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters of two bytes.
    const bool c1 = c == 0xC2 && i + 1 < text.size() &&
                    static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    } else if (c1) {
      out += '?';
      ++i;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

std::string Excerpt(std::string_view text) {
  if (text.size() <= kMaxExcerpt) return Escape(text);
  size_t end = kMaxExcerpt;
  while (end > 0 && IsContinuation(text[end])) --end;
  return Escape(text.substr(0, end)) + "...";
}

void Insert(Diagnostic diagnostic, Diagnostics* diagnostics) {
  const auto place = std::upper_bound(diagnostics->begin(), diagnostics->end(), diagnostic,
                                      [](const Diagnostic& a, const Diagnostic& b) {
                                        return std::make_tuple(!a.set.empty(), a.line, a.column) <
                                               std::make_tuple(!b.set.empty(), b.line, b.column);
                                      });
  diagnostics->insert(place, std::move(diagnostic));
}

std::string ToString(const std::string& file, const Diagnostic& diagnostic) {
  std::string out;
  if (!diagnostic.set.empty())
    out = "-set " + Escape(diagnostic.set);
  else
    out = Escape(file) + StrCat(":", diagnostic.line, ":", diagnostic.column);
  out += diagnostic.severity == Diagnostic::kError     ? ": error: "
         : diagnostic.severity == Diagnostic::kWarning ? ": warning: "
                                                       : ": note: ";
  if (!diagnostic.path.empty()) out += Escape(diagnostic.path) + ": ";
  return out + Escape(diagnostic.text);
}

std::string Render(const std::string& file, const std::string& source,
                   const Diagnostics& diagnostics) {
  std::vector<size_t> starts = {0};
  for (size_t i = 0; i < source.size(); ++i)
    if (source[i] == '\n') starts.push_back(i + 1);
  std::string out;
  const auto add = [&](const Diagnostic& diagnostic) {
    out += ToString(file, diagnostic) + "\n";
    if (diagnostic.set.empty() && diagnostic.line > 0)
      out += SourceAndCaret(Line(starts, source, diagnostic.line), diagnostic.column);
  };
  for (const Diagnostic& diagnostic : diagnostics) {
    add(diagnostic);
    if (diagnostic.note_line == 0) continue;
    Diagnostic note;
    note.severity = Diagnostic::kNote;
    note.line = diagnostic.note_line, note.column = diagnostic.note_column;
    note.text = diagnostic.note;
    add(note);
  }
  return out;
}

}  // namespace singa
