// Where each field of a text-format file stands: a tree beside the parsed message, with a node for
// each message and each field that the file, or a -set option, gives.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace singa {

struct ConfNode {
  const google::protobuf::Descriptor* type = nullptr;        // of a message
  const google::protobuf::FieldDescriptor* field = nullptr;  // null: the root
  std::string part;   // in paths: kernel, layer[fc1], param[0], [my.ext]
  std::string label;  // the name of a layer
  std::string value;  // of a string that the file gives
  int index = 0;      // among the values of a repeated field
  int line = 1, column = 1;
  int set = -1;       // which -set option gave it last; -1: the file
  bool whole = true;  // false: parsing stopped within this message
  ConfNode* parent = nullptr;
  std::vector<std::unique_ptr<ConfNode>> children;

  ConfNode* Add(const google::protobuf::FieldDescriptor* child, int child_index);
  // Null: the file does not give it.
  ConfNode* Find(const google::protobuf::FieldDescriptor* child, int child_index = 0) const;
};

// Whether value `index` of the field has a node of its own. Numbers, which may be millions, have
// one up to some index.
bool HasNode(const google::protobuf::FieldDescriptor& field, int index);

// Fills `part` of all nodes. Again after a layer's label has changed.
void NameParts(ConfNode* root);

// Takes the labels from the message that the tree belongs to.
void TakeLabels(const google::protobuf::Message& message, ConfNode* root);

// "neuralnet.layer[fc1]"; "" for the root.
std::string PathOf(const ConfNode& node);

// The node of `path`, or of the innermost message around it that is there. A value of a list
// without a node has the first one's.
const ConfNode& Locate(const ConfNode& root, std::string_view path);

// Required fields that messages in the tree lack.
struct MissingField {
  const ConfNode* message;
  const google::protobuf::FieldDescriptor* field;
};
std::vector<MissingField> MissingFields(const ConfNode& root);

}  // namespace singa
