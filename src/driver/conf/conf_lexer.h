// ConfLexer reads the tokens of a text-format file, with places in bytes.
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

// Functions that read a token may throw SyntaxError.
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
  // Reads a number, word or string. Adjacent strings are one.
  Scalar ReadScalar();
  // Skips a value of any kind and content. Returns the last word of a message or list; "": none.
  std::string SkipValue();

  // Returns the current token as a bracket.
  OpenBracket Bracket() { return {token().text[0], line(), column()}; }
  // Throws as the token does not close `open`. `wanted` lists the tokens allowed here.
  [[noreturn]] void FailUnclosed(const OpenBracket& open, const std::string& wanted);

  // Returns the token's text for a message.
  std::string Found();
  [[noreturn]] void Fail(const std::string& text);

 private:
  // Keeps the tokenizer's first error about characters.
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

// Maximum depth of nested messages.
inline constexpr int kMaxConfDepth = 64;

}  // namespace singa
