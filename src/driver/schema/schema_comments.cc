#include "driver/schema/schema_comments.h"

#include <glog/logging.h>
#include <google/protobuf/descriptor.pb.h>

#include <memory>
#include <sstream>

#include "driver/schema/schema_files.h"
#include "singa/proto/layer.pb.h"

namespace singa {
namespace {

namespace protobuf = google::protobuf;

// A pool of its own, whose files have comments.
const protobuf::DescriptorPool& Commented() {
  static const auto pool = [] {
    protobuf::FileDescriptorSet files;
    const auto bytes = SchemaBytes();
    CHECK(files.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    auto built = std::make_unique<protobuf::DescriptorPool>();
    for (const protobuf::FileDescriptorProto& file : files.file()) CHECK(built->BuildFile(file));
    return built;
  }();
  return *pool;
}

// Joins the lines of a comment.
std::string OneLine(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

template <typename Entry>
protobuf::SourceLocation LocationOf(const Entry* entry) {
  protobuf::SourceLocation location;
  if (entry) entry->GetSourceLocation(&location);
  return location;
}

template <typename Entry>
std::string TextOf(const Entry* entry) {
  const protobuf::SourceLocation location = LocationOf(entry);
  return OneLine(location.leading_comments + " " + location.trailing_comments);
}

const protobuf::EnumValueDescriptor* WithComments(const protobuf::EnumValueDescriptor& value) {
  return Commented().FindEnumValueByName(value.full_name());
}

}  // namespace

std::string CommentOf(const protobuf::Descriptor& message) {
  return TextOf(Commented().FindMessageTypeByName(message.full_name()));
}

std::string CommentOf(const protobuf::FieldDescriptor& field) {
  return TextOf(Commented().FindFieldByName(field.full_name()));
}

std::string CommentOf(const protobuf::EnumValueDescriptor& value) {
  return TextOf(WithComments(value));
}

std::string SectionOf(const protobuf::EnumValueDescriptor& value) {
  for (int i = value.index(); i >= 0; --i) {
    const auto* const known = WithComments(*value.type()->value(i));
    const std::string above = OneLine(LocationOf(known).leading_comments);
    if (!above.empty()) return above;
  }
  return "";
}

LayerMeaning MeaningOf(const protobuf::EnumValueDescriptor& type) {
  LayerMeaning meaning{OneLine(LocationOf(WithComments(type)).trailing_comments)};
  std::string& text = meaning.text;
  const size_t bracket = text.find(" [");
  if (bracket == std::string::npos || text.back() != ']') return meaning;
  const std::string field = text.substr(bracket + 2, text.size() - bracket - 3);
  meaning.settings = LayerProto::descriptor()->FindFieldByName(field);
  text.resize(bracket);
  return meaning;
}

bool IsForUsers(const protobuf::FieldDescriptor& field) {
  const std::string comment = CommentOf(field);
  for (const char* const start : {"Deprecated", "deprecated", "No effect", "Set by the system"})
    if (comment.starts_with(start)) return false;
  return !field.options().deprecated();
}

}  // namespace singa
