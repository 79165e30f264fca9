#include "driver/conf/set_option.h"

#include <google/protobuf/text_format.h>

#include <string_view>

#include "base/text/edit_distance.h"
#include "driver/conf/choose_layers.h"
#include "driver/conf/conf_lexer.h"
#include "driver/conf/diagnostic.h"
#include "driver/conf/scalar.h"
#include "nn/graph/graph.h"
#include "singa/proto/net.pb.h"

namespace singa {
namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
namespace protobuf = google::protobuf;
using google::protobuf::TextFormat;

// Returns the end of the path: the first '=' outside brackets.
size_t FindEquals(const std::string& option) {
  int depth = 0;
  for (size_t i = 0; i < option.size(); ++i) {
    if (option[i] == '[') ++depth;
    if (option[i] == ']' && depth > 0) --depth;
    if (option[i] == '=' && depth == 0) return i;
  }
  return std::string::npos;
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> items;
  if (text.empty()) return items;
  items.emplace_back();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      items.emplace_back();
      continue;
    }
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == ',' || text[i + 1] == '\\')) ++i;
    items.back() += text[i];
  }
  return items;
}

class OneSetOption {
 public:
  OneSetOption(const std::string& option, int number) : number_(number) {
    const size_t equals = FindEquals(option);
    path_ = SetOptionPath(option);
    if (path_.empty()) {
      path_ = option.empty() ? "\"\"" : option;
      Fail("must be path=value, has no path");
    }
    if (equals == std::string::npos) Fail("must be path=value");
    append_ = equals > 0 && option[equals - 1] == '+';
    value_ = option.substr(equals + 1);
  }

  void Apply(protobuf::Message* message, ConfNode* node) { Descend(message, node, path_); }
  const std::string& note() const { return note_; }

 private:
  // One part of the path.
  struct Part {
    std::string name, which;
    bool has_which = false;
    std::string_view rest;  // rest of the path
  };

  [[noreturn]] void Fail(const std::string& text) const { throw ConfigError(path_, text); }

  Part Split(std::string_view path) const {
    Part part;
    const bool extension = path[0] == '[';
    const size_t end =
        extension ? std::min(path.find(']') + 1, path.size()) : path.find_first_of(".[");
    part.name = std::string(path.substr(0, end));
    part.rest = end == std::string::npos ? std::string_view() : path.substr(end);
    if (!part.rest.empty() && part.rest[0] == '[') {
      // Names of layers may have brackets and points, so take the first bracket that ends a part.
      size_t close = part.rest.find(']');
      while (close != std::string::npos && close + 1 < part.rest.size() &&
             part.rest[close + 1] != '.')
        close = part.rest.find(']', close + 1);
      if (close == std::string::npos) Fail(StrCat("a \"]\" is missing after ", part.name, "["));
      part.has_which = true;
      part.which = std::string(part.rest.substr(1, close - 1));
      part.rest.remove_prefix(close + 1);
    }
    if (part.rest.empty()) return part;
    part.rest.remove_prefix(1);
    if (part.rest.empty()) Fail("ends in a point");
    return part;
  }

  const FieldDescriptor* FindField(const ConfNode& node, const Part& part) const {
    if (part.name[0] == '[') {
      const std::string name = part.name.substr(1, part.name.size() - 2);
      const auto* field =
          DescriptorPool::generated_pool()->FindExtensionByPrintableName(node.type, name);
      if (!field) Fail(StrCat("no such extension of ", node.type->name()));
      return field;
    }
    const auto* field = node.type->FindFieldByName(part.name);
    if (field) return field;
    Fail((part.rest.empty() ? "" : "\"" + Excerpt(part.name) + "\": ") +
         NoSuchField(*node.type, part.name, node.parent ? node.parent->type : nullptr));
  }

  void Descend(protobuf::Message* message, ConfNode* node, std::string_view path) {
    const Part part = Split(path);
    const FieldDescriptor* field = FindField(*node, part);
    if (!field->message_type()) {
      if (part.has_which || !part.rest.empty())
        Fail(StrCat(field->name(), " is ", KindOf(*field), ", nothing may follow it"));
      Assign(message, node, field);
      return;
    }
    if (part.rest.empty())
      Fail(StrCat(
          field->name(), " is a message, set its fields one by one: ", path_, ".",
          field->message_type()->field_count() ? field->message_type()->field(0)->name() : "...",
          "=..."));
    if (!field->is_repeated()) {
      if (part.has_which) Fail(StrCat("there is one ", field->name(), " only, without [ ]"));
      protobuf::Message* child = message->GetReflection()->MutableMessage(message, field);
      Descend(child, ChildNode(node, field, 0), part.rest);
      return;
    }
    if (!part.has_which)
      Fail(StrCat("there may be several: ", field->name(), "[0]",
                  field->message_type() == LayerProto::descriptor() ? " or layer[NAME]" : ""));
    const std::vector<int> chosen = Choose(message, field, part.which);
    if (chosen.size() > 1) note_ = LayersText(*LayersIn(*message, *field), chosen);
    for (int index : chosen) {
      const auto* reflection = message->GetReflection();
      if (index == reflection->FieldSize(*message, field)) reflection->AddMessage(message, field);
      Descend(reflection->MutableRepeatedMessage(message, field, index),
              ChildNode(node, field, index), part.rest);
    }
  }

  // Returns the layers of a net or of a block that is repeated; null: the field has others.
  static const LayerList* LayersIn(const protobuf::Message& message, const FieldDescriptor& field) {
    if (field.message_type() != LayerProto::descriptor()) return nullptr;
    if (message.GetDescriptor() == NetProto::descriptor())
      return &static_cast<const NetProto&>(message).layer();
    if (message.GetDescriptor() == RepeatProto::descriptor())
      return &static_cast<const RepeatProto&>(message).layer();
    return nullptr;
  }

  std::vector<int> FindLayers(const LayerList& layers, const std::string& which) const {
    try {
      return ChooseLayers(layers, which);
    } catch (const ConfigError& error) {
      Fail(error.message());
    }
  }

  ConfNode* ChildNode(ConfNode* node, const FieldDescriptor* field, int index) const {
    if (ConfNode* child = node->Find(field, index)) return child;
    ConfNode* child = node->Add(field, index);
    child->set = number_;
    return child;
  }

  // Returns the messages of a repeated field that `which` names. Creates one after the last, except
  // for layers.
  std::vector<int> Choose(protobuf::Message* message, const FieldDescriptor* field,
                          const std::string& which) const {
    std::vector<int> chosen;
    const int size = message->GetReflection()->FieldSize(*message, field);
    const LayerList* const layers = LayersIn(*message, *field);
    if (layers) chosen = FindLayers(*layers, which);
    if (!chosen.empty()) return chosen;
    const bool number = !which.empty() && which.size() < 9 &&
                        which.find_first_not_of("0123456789") == std::string::npos;
    if (number) {
      const int index = std::stoi(which);
      if (index < size + (layers ? 0 : 1)) return {index};
      Fail(StrCat("there is no ", field->name(), "[", index, "], they are ", size, " from 0"));
    }
    if (!layers) Fail(StrCat(field->name(), "[ ] takes an index from 0, is ", Excerpt(which)));
    std::vector<std::string> known;
    for (const LayerProto& layer : *layers) known.push_back(layer.name());
    const std::string name = which.substr(0, which.rfind('@'));
    Fail(StrCat("no layer \"", Excerpt(name), "\"", DidYouMean(name, known)));
  }

  void Assign(protobuf::Message* message, ConfNode* node, const FieldDescriptor* field) {
    if (append_ && !field->is_repeated()) Fail("+= is for repeated fields, this one has one value");
    const std::vector<std::string> items =
        field->is_repeated() ? SplitAtCommas(value_) : std::vector<std::string>{value_};
    const bool words = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    if (field->is_repeated() && !words && value_.starts_with("["))
      Fail(StrCat("a list has no brackets here, such as 1,2; is \"", Excerpt(value_), "\""));
    for (const std::string& item : items) Check(*field, item);
    if (!append_) {
      message->GetReflection()->ClearField(message, field);
      std::erase_if(node->children,
                    [&](const auto& child) { return child->field == field && child->index > 0; });
    }
    const int first =
        field->is_repeated() ? message->GetReflection()->FieldSize(*message, field) : 0;
    for (const std::string& item : items) Store(message, field, item);
    MarkNodes(node, field, first, first + static_cast<int>(items.size()));
    if (field->containing_type() == LayerProto::descriptor() && field->name() == "name")
      node->label = value_;
  }

  // Marks the nodes of the values from `first` to `end`; if the list is empty, the first node.
  void MarkNodes(ConfNode* node, const FieldDescriptor* field, int first, int end) const {
    for (int i = first; (i < end || i == 0) && HasNode(*field, i); ++i) {
      ConfNode* child = i == 0 ? node->Find(field) : nullptr;
      if (!child) child = node->Add(field, i);
      child->set = number_;
      child->whole = true;
    }
  }

  void Check(const FieldDescriptor& field, const std::string& item) const {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const std::string problem = StringProblem(item);
      if (!problem.empty()) Fail(problem);
      return;
    }
    std::string problem;
    try {
      ConfLexer lexer(item);
      lexer.Next();
      const Scalar scalar = lexer.ReadScalar();
      problem = lexer.AtEnd() ? ScalarProblem(field, scalar) : "";
      if (lexer.AtEnd() && problem.empty()) return;
    } catch (const SyntaxError&) {
    }
    if (problem.empty())
      problem = StrCat("must be ", KindOf(field), ", is \"", Excerpt(item), "\"");
    Fail(problem);
  }

  static void Store(protobuf::Message* message, const FieldDescriptor* field,
                    const std::string& item) {
    const auto* reflection = message->GetReflection();
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING)
      TextFormat::ParseFieldValueFromString(item, field, message);
    else if (field->is_repeated())
      reflection->AddString(message, field, item);
    else
      reflection->SetString(message, field, item);
  }

  const int number_;
  std::string path_, value_, note_;
  bool append_ = false;
};

}  // namespace

std::string SetOptionPath(const std::string& option) {
  const std::string path = option.substr(0, FindEquals(option));
  return path.size() < option.size() && !path.empty() && path.back() == '+'
             ? path.substr(0, path.size() - 1)
             : path;
}

std::string AppendOption(const std::string& path, const std::string& value) {
  std::string option = path + "+=";
  for (char c : value) option += c == ',' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return option;
}

std::string ApplySetOption(const std::string& option, int number, protobuf::Message* message,
                           ConfNode* root) {
  OneSetOption set(option, number);
  set.Apply(message, root);
  NameParts(root);
  return set.note();
}

}  // namespace singa
