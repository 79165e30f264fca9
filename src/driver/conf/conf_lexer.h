// The tokens of a text-format file, with places in bytes.
#pragma once

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>

#include "driver/conf/scalar.h"

namespace singa {

// A bracket that opens a message or a list, and its place, from 1.
struct OpenBracket {
  char symbol = 0;
  int line = 0, column = 0;

  char end() const { return symbol == '{' ? '}' : symbol == '<' ? '>' : ']'; }
};

// Parsing cannot go on.
struct SyntaxError {
  int line, column;  // from 1
  std::string text;
  OpenBracket unclosed = {};  // line 0: none
};

// Any of its functions that reads a token may throw SyntaxError.
class ConfLexer {
 public:
  explicit ConfLexer(const std::string& text);

  const google::protobuf::io::Tokenizer::Token& token() { return tokenizer_.current(); }
  int line() { return token().line + 1; }
  int column() { return token().column + 1; }
  bool At(char symbol) {
    return token().type == google::protobuf::io::Tokenizer::TYPE_SYMBOL &&
           token().text[0] == symbol;
  }
  bool AtOpening() { return At('{') || At('<'); }
  bool AtIdentifier() { return token().type == google::protobuf::io::Tokenizer::TYPE_IDENTIFIER; }
  bool AtEnd() { return token().type == google::protobuf::io::Tokenizer::TYPE_END; }

  void Next();
  bool Consume(char symbol);
  // A number, word or string; strings side by side are one.
  Scalar ReadScalar();
  // A value of any kind, whatever is in it. Returns the last word of a message or list; "": none.
  std::string SkipValue();

  // The bracket that is the token.
  OpenBracket Bracket() { return {token().text[0], line(), column()}; }
  // The token is not what closes `open`. `wanted`: the tokens that may stand here.
  [[noreturn]] void FailUnclosed(const OpenBracket& open, const std::string& wanted);

  // The token, for a message.
  std::string Found();
  [[noreturn]] void Fail(const std::string& text);

 private:
  // What the tokenizer finds wrong with characters. Only the first matters.
  class Errors : public google::protobuf::io::ErrorCollector {
   public:
    void AddError(int line, int column, const std::string& text) override;
    SyntaxError first{0, 0, ""};
  };

  const std::string text_;
  google::protobuf::io::ArrayInputStream input_;
  Errors errors_;
  google::protobuf::io::Tokenizer tokenizer_;
};

// Messages within messages, at most.
inline constexpr int kMaxConfDepth = 64;

}  // namespace singa
