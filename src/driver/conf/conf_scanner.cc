#include "driver/conf/conf_scanner.h"

#include <map>

#include "base/text/edit_distance.h"
#include "driver/conf/conf_lexer.h"
#include "driver/conf/scalar.h"
#include "driver/conf/synonyms.h"
#include "singa/proto/layer.pb.h"

namespace singa {
namespace {

namespace protobuf = google::protobuf;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;

constexpr size_t kMaxFields = 1000000;  // fields of a file; a list of numbers counts once

class Scanner {
 public:
  Scanner(const std::string& text, Diagnostics* errors) : lexer_(text), errors_(errors) {}

  void Run(ConfNode* root) {
    here_ = root;
    try {
      lexer_.Next();
      Fields(root, 0);
    } catch (const SyntaxError& error) {
      if (errors_)
        findings_.push_back({here_, "", error.line, error.column, error.text, error.unclosed});
    }
    NameParts(root);
    for (const Finding& finding : findings_) Report(finding);
  }

 private:
  // An error whose path is made at the end, as layers' names may come later in the file.
  struct Finding {
    const ConfNode* message;
    std::string name;  // name of the message's field; "": the message itself
    int line, column;
    std::string text;
    OpenBracket unclosed = {};
  };
  // The name of a field in the file.
  struct Name {
    std::string text;
    int line, column;
    const FieldDescriptor* field;  // null: unknown
  };

  void Add(const ConfNode& message, const Name& name, const std::string& text) {
    if (!errors_) return;
    if (findings_.size() + 1 >= kMaxFindings)
      lexer_.Fail("too many mistakes, stopped reading here");
    findings_.push_back({&message, name.text, name.line, name.column, text});
  }
  void Report(const Finding& finding) {
    Diagnostic error;
    error.line = finding.line, error.column = finding.column, error.text = finding.text;
    const OpenBracket& open = finding.unclosed;
    error.note_line = open.line, error.note_column = open.column;
    if (open.line > 0)
      error.note = StrCat("the \"", std::string(1, open.symbol), "\" that is not closed");
    error.path = PathOf(*finding.message);
    if (!finding.name.empty()) error.path += (error.path.empty() ? "" : ".") + finding.name;
    errors_->push_back(std::move(error));
  }

  // Reads the fields of a message up to its end, which is not consumed.
  void Fields(ConfNode* message, int depth) {
    if (depth >= kMaxConfDepth)
      lexer_.Fail(StrCat("messages are nested deeper than ", kMaxConfDepth));
    message->whole = false;
    std::map<const FieldDescriptor*, int> counts;
    here_ = message;
    while (!lexer_.AtEnd() && !lexer_.At('}') && !lexer_.At('>')) {
      Field(message, &counts, depth);
      here_ = message;
      if (!lexer_.Consume(';')) lexer_.Consume(',');
    }
    if (depth == 0 && !lexer_.AtEnd())
      lexer_.Fail(StrCat("unexpected ", lexer_.Found(), ": no message is open"));
    message->whole = true;
  }

  void Field(ConfNode* message, std::map<const FieldDescriptor*, int>* counts, int depth) {
    const Name name = FieldName(*message->type);
    if (!name.field) {
      Unknown(message, name);
      return;
    }
    Colon(*message, name);
    if (!lexer_.At('[')) {
      Value(message, name, counts, depth);
    } else if (name.field->is_repeated()) {
      List(message, name, counts, depth);
    } else {
      Add(*message, name, "takes one value, not a list");
      NewNode(message, name, 0)->whole = false;
      lexer_.SkipValue();
    }
  }

  Name FieldName(const protobuf::Descriptor& type) {
    Name name{"", lexer_.line(), lexer_.column(), nullptr};
    if (lexer_.Consume('[')) {
      for (; !lexer_.At(']'); lexer_.Next()) {
        if (!lexer_.AtIdentifier() && !lexer_.At('.') && !lexer_.At('/'))
          lexer_.Fail(
              StrCat("expected the name of an extension and \"]\", found ", lexer_.Found()));
        name.text += lexer_.token().text;
      }
      lexer_.Next();
      const auto* pool = DescriptorPool::generated_pool();
      name.field = pool->FindExtensionByPrintableName(&type, name.text);
      name.text = "[" + name.text + "]";
    } else if (lexer_.AtIdentifier()) {
      name.text = lexer_.token().text;
      lexer_.Next();
      name.field = type.FindFieldByName(name.text);
    } else {
      lexer_.Fail(StrCat("expected the name of a field, found ", lexer_.Found()));
    }
    return name;
  }

  // Reads the colon, which may be missing before a message.
  void Colon(const ConfNode& message, const Name& name) {
    if (lexer_.Consume(':') || name.field->message_type() || lexer_.AtOpening()) return;
    const Name here{name.text, lexer_.line(), lexer_.column(), name.field};
    Add(message, here, StrCat("expected \":\", found ", lexer_.Found()));
    lexer_.Consume('=');
  }

  void Unknown(ConfNode* message, const Name& name) {
    const protobuf::Descriptor& type = *message->type;
    if (name.text[0] == '[') {
      std::vector<const FieldDescriptor*> extensions;
      DescriptorPool::generated_pool()->FindAllExtensions(&type, &extensions);
      std::vector<std::string> known;
      known.reserve(extensions.size());
      for (const auto* field : extensions) known.push_back("[" + field->full_name() + "]");
      Add(*message, name,
          StrCat("no such extension of ", type.name(), DidYouMean(name.text, known)));
    } else {
      const protobuf::Descriptor* around = message->parent ? message->parent->type : nullptr;
      const std::string text = NoSuchField(type, name.text, around);
      Add(*message, name, text);
      // The field that was meant is then not reported as missing, too.
      for (const std::string& meant : FieldNames(type))
        if (text.find("mean \"" + meant + "\"?") != std::string::npos)
          NewNode(message, {meant, name.line, name.column, type.FindFieldByName(meant)}, 0)->whole =
              false;
    }
    lexer_.Consume(':');
    lexer_.SkipValue();
  }

  void List(ConfNode* message, const Name& name, std::map<const FieldDescriptor*, int>* counts,
            int depth) {
    const OpenBracket open = lexer_.Bracket();
    lexer_.Next();
    if (lexer_.Consume(']')) return;
    for (;;) {
      Value(message, name, counts, depth);
      here_ = message;
      if (lexer_.Consume(']')) return;
      if (!lexer_.Consume(',')) lexer_.FailUnclosed(open, "\",\" or \"]\" in a list");
    }
  }

  void Value(ConfNode* message, const Name& name, std::map<const FieldDescriptor*, int>* counts,
             int depth) {
    const int index = (*counts)[name.field]++;
    if (index > 0 && !name.field->is_repeated()) {
      Add(*message, name,
          StrCat("is given twice, first in line ", message->Find(name.field)->line));
      lexer_.SkipValue();
    } else if (!lexer_.AtOpening()) {
      ScalarValue(message, name, index);
    } else if (name.field->message_type()) {
      MessageValue(NewNode(message, name, index), depth);
    } else {
      if (index == 0) NewNode(message, name, 0);
      const std::string value = ValueMeant(*name.field, lexer_.SkipValue());
      Add(*message, name,
          StrCat("must be ", KindOf(*name.field), ", is a message in { }",
                 value.empty() ? "" : StrCat("; did you mean \"", name.text, ": ", value, "\"?")));
    }
  }

  // Returns the value that `word` means, as Caffe's `include { phase: TRAIN }` is `include:
  // kTrain`.
  static std::string ValueMeant(const FieldDescriptor& field, const std::string& word) {
    if (!field.enum_type()) return "";
    return field.enum_type()->FindValueByName(word) ? word : SynonymOf(*field.enum_type(), word);
  }

  ConfNode* NewNode(ConfNode* message, const Name& name, int index) {
    if (++nodes_ > kMaxFields)
      lexer_.Fail(StrCat("the file has more than ", kMaxFields, " fields"));
    ConfNode* node = message->Add(name.field, index);
    node->line = name.line, node->column = name.column;
    return node;
  }

  void MessageValue(ConfNode* node, int depth) {
    const OpenBracket open = lexer_.Bracket();
    lexer_.Next();
    Fields(node, depth + 1);
    if (lexer_.At(open.end())) {
      here_ = node->parent;
      lexer_.Next();
      return;
    }
    node->whole = false;
    lexer_.FailUnclosed(open, StrCat("\"", open.end(), "\" to close ", node->field->name(),
                                     " of line ", node->line));
  }

  void ScalarValue(ConfNode* message, const Name& name, int index) {
    const int line = lexer_.line(), column = lexer_.column();
    const Scalar scalar = lexer_.ReadScalar();
    const std::string problem = ScalarProblem(*name.field, scalar);
    if (!problem.empty() && lexer_.At(':'))  // the word was the next field's name
      throw SyntaxError{
          line, column,
          StrCat("expected a value for ", name.text, ", found \"", Excerpt(scalar.text), "\"")};
    if (!problem.empty()) Add(*message, name, problem);
    if (HasNode(*name.field, index)) {
      ConfNode* node = NewNode(message, name, index);
      node->whole = problem.empty();
      if (problem.empty()) node->value = scalar.value;
    }
    if (name.field->containing_type() == LayerProto::descriptor() && name.field->number() == 1)
      message->label = scalar.value.empty() ? scalar.text : scalar.value;
  }

  ConfLexer lexer_;
  Diagnostics* errors_;  // null: not wanted
  std::vector<Finding> findings_;
  const ConfNode* here_ = nullptr;  // the innermost open message
  size_t nodes_ = 0;
};

}  // namespace

void ScanConf(const std::string& text, ConfNode* root, Diagnostics* errors) {
  Scanner(text, errors).Run(root);
}

}  // namespace singa
