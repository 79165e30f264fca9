// ConfNode is a tree of the places of a text-format file's fields. It has a node for each message
// and each field that the file, or a -set option, gives.
#pragma once

#include <google/protobuf/message.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace singa {

struct ConfNode {
  const google::protobuf::Descriptor* type = nullptr;        // type of a message
  const google::protobuf::FieldDescriptor* field = nullptr;  // null: the root
  std::string part;   // part of paths: kernel, layer[fc1], param[0], [my.ext]
  std::string label;  // the name of a layer
  std::string value;  // value of a string in the file
  int index = 0;      // index in a repeated field
  int line = 1, column = 1;
  int set = -1;         // -set option that set it last; -1: the file
  bool whole = true;    // false: parsing stopped within this message
  std::string copy_of;  // of a layer that a `repeat` has made: the path of the layer in the block
  ConfNode* parent = nullptr;
  std::vector<std::unique_ptr<ConfNode>> children;

  ConfNode* Add(const google::protobuf::FieldDescriptor* child, int child_index);
  // Adds a copy of `other`, with all below, as value `child_index` of the field.
  ConfNode* AddCopy(const ConfNode& other, const google::protobuf::FieldDescriptor* child,
                    int child_index);
  // Returns null if the file does not give the field.
  ConfNode* Find(const google::protobuf::FieldDescriptor* child, int child_index = 0) const;
};

// Returns whether value `index` of the field has its own node. Lists of numbers, which may be long,
// have nodes only for the first values.
bool HasNode(const google::protobuf::FieldDescriptor& field, int index);

// Sets `part` of all nodes. Call it again after a layer's label has changed.
void NameParts(ConfNode* root);

// Takes the labels from the tree's message.
void TakeLabels(const google::protobuf::Message& message, ConfNode* root);

// Returns "neuralnet.layer[fc1]"; "" for the root.
std::string PathOf(const ConfNode& node);

// Returns the path within the `repeat` that a copied layer comes from, such as
// "neuralnet.repeat[0].layer[fc{i}].name" for a path below the copy "neuralnet.layer[fc1]"; "" if
// `node` is in no copy.
std::string OriginOf(const ConfNode& node, const std::string& path);

// Returns the node of `path`, or of the innermost enclosing message that exists. For a list's value
// without a node, returns the first value's node.
const ConfNode& Locate(const ConfNode& root, std::string_view path);

// A required field that a message in the tree lacks.
struct MissingField {
  const ConfNode* message;
  const google::protobuf::FieldDescriptor* field;
};
std::vector<MissingField> MissingFields(const ConfNode& root);

}  // namespace singa
