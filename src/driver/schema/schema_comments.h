// These functions give the comments of the schema, which protobuf's generated code leaves out.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>

namespace singa {

// Each returns the comment above the entry and the one behind it as one line; "": it has none, or a
// plugin's schema has the entry.
std::string CommentOf(const google::protobuf::Descriptor& message);
std::string CommentOf(const google::protobuf::FieldDescriptor& field);
std::string CommentOf(const google::protobuf::EnumValueDescriptor& value);

// Returns the comment above the first value of the enum's section that `value` is in: "Loss." A
// comment above a value of an enum begins a section.
std::string SectionOf(const google::protobuf::EnumValueDescriptor& value);

// Returns the layer type's text without the field of its settings, "convolution of images", and
// that field of LayerProto, null if it has none.
struct LayerMeaning {
  std::string text;
  const google::protobuf::FieldDescriptor* settings = nullptr;
};
LayerMeaning MeaningOf(const google::protobuf::EnumValueDescriptor& type);

// Returns whether a new conf may set the field: it is not deprecated, and the system does not set
// it.
bool IsForUsers(const google::protobuf::FieldDescriptor& field);

}  // namespace singa
