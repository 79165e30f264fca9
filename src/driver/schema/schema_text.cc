#include "driver/schema/schema_text.h"

#include <algorithm>
#include <sstream>

#include "driver/schema/schema_comments.h"
#include "singa/base/str_cat.h"
#include "singa/proto/job.pb.h"

namespace singa {
namespace {

namespace protobuf = google::protobuf;
using protobuf::FieldDescriptor;

constexpr size_t kColumns = 100;
constexpr size_t kIndent = 2;

bool IsMessage(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

// Returns the values of an enum with their comments; "" for the types of layers, which are many.
std::string ValuesOf(const protobuf::EnumDescriptor& type) {
  if (&type == LayerType_descriptor()) return " `singa layers` lists the values.";
  std::string text = " Values: ";
  for (int i = 0; i < type.value_count(); ++i) {
    const std::string comment = CommentOf(*type.value(i));
    text += (i == 0 ? "" : "; ") + type.value(i)->name() + (comment.empty() ? "" : ": " + comment);
  }
  return text.ends_with('.') ? text : text + ".";
}

// REQUIRES: the schema gives the field a default.
std::string DefaultOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return StrCat(field.default_value_int32());
    case FieldDescriptor::CPPTYPE_UINT32:
      return StrCat(field.default_value_uint32());
    case FieldDescriptor::CPPTYPE_INT64:
      return StrCat(field.default_value_int64());
    case FieldDescriptor::CPPTYPE_UINT64:
      return StrCat(field.default_value_uint64());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return StrCat(field.default_value_float());
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return StrCat(field.default_value_double());
    case FieldDescriptor::CPPTYPE_BOOL:
      return field.default_value_bool() ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return field.default_value_enum()->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return "\"" + field.default_value_string() + "\"";
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "";
  }
  return "";
}

// Returns the first sentence of a comment.
std::string Short(const std::string& comment) {
  const size_t end = comment.find(". ");
  return end == std::string::npos ? comment : comment.substr(0, end + 1);
}

void AddFields(const protobuf::Descriptor& message, size_t indent, bool brief, std::string* text) {
  std::string old;
  size_t width = 0;
  for (int i = 0; i < message.field_count(); ++i)
    width = std::max(width, message.field(i)->name().size());
  width += indent + kIndent;
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    if (!IsForUsers(field)) {
      old += (old.empty() ? "" : ", ") + field.name();
      continue;
    }
    const std::string name = std::string(indent, ' ') + field.name();
    *text +=
        Wrapped(name + std::string(width - name.size(), ' '),
                brief ? TypeOf(field) + ". " + Short(CommentOf(field)) : MeaningOf(field), width);
    if (IsMessage(field) && field.message_type() != LayerProto::descriptor())
      AddFields(*field.message_type(), indent + kIndent, true, text);
  }
  if (!old.empty())
    *text += Wrapped(std::string(indent, ' '), "For old files, or set by the system: " + old + ".",
                     indent + kIndent);
}

void AddPlaces(const protobuf::Descriptor& message, const std::string& path,
               std::vector<FieldPlace>* places) {
  const bool repeats = &message == RepeatProto::descriptor();
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    std::string place = (path.empty() ? "" : path + ".") + field.name();
    places->push_back({place, &field});
    if (!IsMessage(field) || (repeats && field.message_type() == LayerProto::descriptor()))
      continue;
    if (field.is_repeated())
      place += field.message_type() == LayerProto::descriptor() ? "[NAME]" : "[0]";
    AddPlaces(*field.message_type(), place, places);
  }
}

}  // namespace

std::string Wrapped(const std::string& head, const std::string& text, size_t indent) {
  std::istringstream words(text);
  std::string lines, line = head;
  bool empty = true;  // the line has no word
  for (std::string word; words >> word;) {
    if (!empty && line.size() + 1 + word.size() > kColumns) {
      lines += line + "\n";
      line = std::string(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return lines + line + "\n";
}

std::string TypeOf(const FieldDescriptor& field) {
  std::string type = field.type_name();
  if (IsMessage(field)) type = field.message_type()->name();
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) type = field.enum_type()->name();
  if (field.is_repeated()) return "list of " + type;
  if (field.is_required()) type = "required " + type;
  if (!field.has_default_value()) return type;
  return type + ", default " + DefaultOf(field);
}

std::string MeaningOf(const FieldDescriptor& field) {
  std::string text = TypeOf(field) + ". " + CommentOf(field);
  if (!text.ends_with('.') && !text.ends_with(". ")) text += ".";
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_ENUM) text += ValuesOf(*field.enum_type());
  return text;
}

std::string FieldsText(const protobuf::Descriptor& message) {
  std::string text;
  AddFields(message, kIndent, false, &text);
  return text;
}

std::vector<FieldPlace> AllFields() {
  std::vector<FieldPlace> places;
  AddPlaces(*JobProto::descriptor(), "", &places);
  return places;
}

}  // namespace singa
