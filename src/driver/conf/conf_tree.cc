#include "driver/conf/conf_tree.h"

#include <algorithm>

#include "nn/graph/graph.h"
#include "singa/base/str_cat.h"
#include "singa/proto/layer.pb.h"

namespace singa {
namespace {

using google::protobuf::FieldDescriptor;

bool IsLayer(const ConfNode& node) {
  return node.type == LayerProto::descriptor() && node.field && node.field->is_repeated();
}

std::string PartOfNode(const ConfNode& node) {
  const FieldDescriptor& field = *node.field;
  std::string part = field.is_extension() ? StrCat("[", field.full_name(), "]") : field.name();
  if (field.is_repeated() && node.type) part += StrCat("[", node.index, "]");
  return part;
}

// Sets *rest to the path after `part`. Returns false if `path` starts with another part.
bool Consume(std::string_view path, const std::string& part, std::string_view* rest) {
  if (path.substr(0, part.size()) != part) return false;
  *rest = path.substr(part.size());
  if (rest->empty() || rest->front() != '.') return rest->empty();
  rest->remove_prefix(1);
  return true;
}

// Does the same, but `path` may leave out the index of a message.
bool ConsumeField(std::string_view path, const ConfNode& node, std::string_view* rest) {
  if (Consume(path, node.part, rest)) return true;
  if (!node.field->is_repeated() || !node.type || IsLayer(node)) return false;
  return path == node.field->name() && Consume(path, node.field->name(), rest);
}

// Returns the value `name[index]` of a list of scalars, or the list's first value; null: the path
// names none.
const ConfNode* FindInList(const ConfNode& message, std::string_view path) {
  const ConfNode* found = nullptr;
  for (const auto& child : message.children) {
    if (child->type || !child->field->is_repeated()) continue;
    const std::string& name = child->field->name();
    if (path == StrCat(name, "[", child->index, "]")) return child.get();
    if (child->index == 0 && path.substr(0, name.size() + 1) == name + "[") found = child.get();
  }
  return found;
}

}  // namespace

ConfNode* ConfNode::Add(const FieldDescriptor* child, int child_index) {
  children.push_back(std::make_unique<ConfNode>());
  ConfNode* node = children.back().get();
  node->parent = this;
  node->field = child;
  node->type = child->message_type();
  node->index = child_index;
  return node;
}

ConfNode* ConfNode::AddCopy(const ConfNode& other, const FieldDescriptor* child, int child_index) {
  ConfNode* const node = Add(child, child_index);
  node->part = other.part, node->label = other.label, node->value = other.value;
  node->line = other.line, node->column = other.column;
  node->set = other.set, node->whole = other.whole;
  for (const auto& below : other.children) node->AddCopy(*below, below->field, below->index);
  return node;
}

ConfNode* ConfNode::Find(const FieldDescriptor* child, int child_index) const {
  for (auto node = children.rbegin(); node != children.rend(); ++node)
    if ((*node)->field == child && (*node)->index == child_index) return node->get();
  return nullptr;
}

bool HasNode(const FieldDescriptor& field, int index) {
  constexpr int kMostNumbers = 1000;
  return index < kMostNumbers || field.message_type() ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

void NameParts(ConfNode* root) {
  std::vector<ConfNode*> layers;
  std::vector<std::string> names;
  for (const auto& child : root->children) {
    if (IsLayer(*child)) {
      layers.push_back(child.get());
      names.push_back(child->label);
    } else {
      child->part = PartOfNode(*child);
    }
    NameParts(child.get());
  }
  std::vector<std::string> parts = LayerPaths(names);
  for (size_t i = 0; i < layers.size(); ++i) layers[i]->part = std::move(parts[i]);
}

void TakeLabels(const google::protobuf::Message& message, ConfNode* root) {
  const auto* reflection = message.GetReflection();
  for (const auto& child : root->children) {
    if (!child->type) continue;
    const auto& part = child->field->is_repeated()
                           ? reflection->GetRepeatedMessage(message, child->field, child->index)
                           : reflection->GetMessage(message, child->field);
    if (IsLayer(*child)) child->label = static_cast<const LayerProto&>(part).name();
    TakeLabels(part, child.get());
  }
}

std::string PathOf(const ConfNode& node) {
  if (!node.parent) return "";
  const std::string above = PathOf(*node.parent);
  return above.empty() ? node.part : above + "." + node.part;
}

std::string OriginOf(const ConfNode& node, const std::string& path) {
  const ConfNode* copy = &node;
  while (copy && copy->copy_of.empty()) copy = copy->parent;
  return copy ? copy->copy_of + path.substr(std::min(PathOf(*copy).size(), path.size())) : "";
}

const ConfNode& Locate(const ConfNode& root, std::string_view path) {
  if (path.empty()) return root;
  if (const ConfNode* value = FindInList(root, path)) return *value;
  std::string_view rest;
  for (const auto& child : root.children)
    if (ConsumeField(path, *child, &rest)) return Locate(*child, rest);
  return root;
}

std::vector<MissingField> MissingFields(const ConfNode& root) {
  std::vector<MissingField> missing;
  if (root.type && root.whole)
    for (int i = 0; i < root.type->field_count(); ++i)
      if (root.type->field(i)->is_required() && !root.Find(root.type->field(i)))
        missing.push_back({&root, root.type->field(i)});
  for (const auto& child : root.children)
    for (const MissingField& field : MissingFields(*child)) missing.push_back(field);
  return missing;
}

}  // namespace singa
