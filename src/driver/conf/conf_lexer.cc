#include "driver/conf/conf_lexer.h"

#include <algorithm>

#include "driver/conf/diagnostic.h"

namespace singa {
namespace {

using google::protobuf::io::Tokenizer;

// Replaces each tab by a space, as the tokenizer would count a tab up to the next multiple of 8
// columns.
std::string WithoutTabs(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

// "Expected hex digits." -> "expected hex digits"
std::string InOurStyle(std::string text) {
  if (text.find("non ascii") != std::string::npos)
    return "only strings and comments may have characters beyond ASCII";
  if (text.find("control characters") != std::string::npos)
    return "the file has a control character here; is it text?";
  if (text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

void ConfLexer::Errors::AddError(int line, int column, const std::string& text) {
  if (first.text.empty()) first = {line + 1, column + 1, text};
}

ConfLexer::ConfLexer(const std::string& text)
    : text_(WithoutTabs(text)),
      input_(text_.data(), static_cast<int>(text_.size())),
      tokenizer_(&input_, &errors_) {
  tokenizer_.set_comment_style(Tokenizer::SH_COMMENT_STYLE);
  tokenizer_.set_allow_f_after_float(true);
}

void ConfLexer::Next() {
  tokenizer_.Next();
  SyntaxError& error = errors_.first;
  if (error.text.empty()) return;
  if (error.text.find("cross line") != std::string::npos ||
      error.text.find("end of string") != std::string::npos)
    Fail("the string has no closing quote");
  error.text = InOurStyle(error.text);
  throw error;
}

bool ConfLexer::Consume(char symbol) {
  if (!At(symbol)) return false;
  Next();
  return true;
}

Scalar ConfLexer::ReadScalar() {
  Scalar scalar;
  scalar.negative = Consume('-');
  if (AtEnd() || token().type == Tokenizer::TYPE_SYMBOL)
    Fail(StrCat("expected a value, found ", Found()));
  scalar.type = token().type;
  scalar.text = token().text;
  if (scalar.type != Tokenizer::TYPE_STRING) {
    Next();
    return scalar;
  }
  while (token().type == Tokenizer::TYPE_STRING) {
    Tokenizer::ParseStringAppend(token().text, &scalar.value);
    Next();
  }
  return scalar;
}

std::string ConfLexer::SkipValue() {
  std::string word;
  std::vector<OpenBracket> open;
  do {
    if (AtOpening() || At('[')) {
      open.push_back(Bracket());
      if (open.size() > kMaxConfDepth)
        Fail(StrCat("messages are nested deeper than ", kMaxConfDepth));
      Next();
    } else if (!open.empty() && At(open.back().end())) {
      open.pop_back();
      Next();
    } else if (open.empty()) {
      ReadScalar();
    } else if (AtEnd() || At('}') || At('>') || At(']')) {
      FailUnclosed(open.back(), StrCat("\"", open.back().end(), "\""));
    } else {
      if (AtIdentifier()) word = token().text;
      Next();
    }
  } while (!open.empty());
  return word;
}

void ConfLexer::FailUnclosed(const OpenBracket& open, const std::string& wanted) {
  if (!AtEnd()) Fail(StrCat("expected ", wanted, ", found ", Found()));
  throw SyntaxError{line(), column(),
                    StrCat("the file ends, but the \"", std::string(1, open.symbol), "\" of line ",
                           open.line, " is not closed"),
                    open};
}

std::string ConfLexer::Found() {
  if (AtEnd()) return "the end of the file";
  const std::string text = Excerpt(token().text);
  return token().type == Tokenizer::TYPE_STRING ? text : "\"" + text + "\"";
}

void ConfLexer::Fail(const std::string& text) { throw SyntaxError{line(), column(), text}; }

}  // namespace singa
