#include "driver/conf/message_walk.h"

#include <vector>

#include "nn/graph/graph.h"
#include "singa/base/str_cat.h"
#include "singa/proto/layer.pb.h"

namespace singa {
namespace {

using google::protobuf::FieldDescriptor;
namespace protobuf = google::protobuf;

std::vector<std::string> PartsOf(const protobuf::Message& message, const FieldDescriptor& field) {
  const std::string name = FieldPart(field);
  if (!field.is_repeated()) return {name};
  const auto* reflection = message.GetReflection();
  const int size = reflection->FieldSize(message, &field);
  std::vector<std::string> names;
  if (field.message_type() == LayerProto::descriptor()) {
    for (int i = 0; i < size; ++i)
      names.push_back(
          static_cast<const LayerProto&>(reflection->GetRepeatedMessage(message, &field, i))
              .name());
    return LayerPaths(names);
  }
  for (int i = 0; i < size; ++i) names.push_back(StrCat(name, "[", i, "]"));
  return names;
}

}  // namespace

std::string FieldPart(const FieldDescriptor& field) {
  return field.is_extension() ? StrCat("[", field.full_name(), "]") : field.name();
}

std::string JoinPath(const std::string& path, const std::string& field) {
  return path.empty() ? field : path + "." + field;
}

void WalkMessages(const protobuf::Message& message, const std::string& path,
                  const std::function<void(const protobuf::Message&, const std::string&)>& visit) {
  visit(message, path);
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!field->message_type()) continue;
    const std::vector<std::string> parts = PartsOf(message, *field);
    for (size_t i = 0; i < parts.size(); ++i)
      WalkMessages(field->is_repeated()
                       ? reflection->GetRepeatedMessage(message, field, static_cast<int>(i))
                       : reflection->GetMessage(message, field),
                   JoinPath(path, parts[i]), visit);
  }
}

double NumberIn(const protobuf::Message& message, const FieldDescriptor& field, int index) {
  const auto* reflection = message.GetReflection();
  const bool many = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return many ? reflection->GetRepeatedInt32(message, &field, index)
                  : reflection->GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return many ? reflection->GetRepeatedFloat(message, &field, index)
                  : reflection->GetFloat(message, &field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return many ? reflection->GetRepeatedBool(message, &field, index)
                  : reflection->GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return many ? reflection->GetRepeatedEnumValue(message, &field, index)
                  : reflection->GetEnumValue(message, &field);
    default:
      return 0;
  }
}

}  // namespace singa
