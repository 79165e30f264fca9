// Compares conf/reference.conf with the protos: the file names every field, shows its default and
// explains it. These rules hold for the first place in the file where a field occurs:
//   - there is a comment, at the end of its line or on the lines right above;
//   - the value is the default, unless that comment has the word "example"; a field without a
//     default has it.
// Later places are free examples.
#include "support/reference_conf.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace singa {
namespace {

using google::protobuf::Descriptor;

void AddReachable(const Descriptor* type, std::set<const Descriptor*>* types) {
  if (!types->insert(type).second) return;
  for (int i = 0; i < type->field_count(); ++i)
    if (const Descriptor* sub = type->field(i)->message_type()) AddReachable(sub, types);
}

std::string Value(const google::protobuf::Message& message,
                  const google::protobuf::FieldDescriptor* field, int index) {
  std::string text;
  google::protobuf::TextFormat::PrintFieldValueToString(message, field, index, &text);
  return text;
}

TEST_F(ReferenceConf, NamesEveryField) {
  std::set<const Descriptor*> types;
  AddReachable(JobProto::descriptor(), &types);
  for (const Descriptor* type : types)
    for (int i = 0; i < type->field_count(); ++i)
      EXPECT_TRUE(first_.count(type->field(i))) << "missing: " << type->field(i)->full_name();
}

TEST_F(ReferenceConf, ShowsTheDefaultOrSaysExample) {
  for (const auto& [field, place] : first_) {
    if (field->message_type() != nullptr) continue;
    const std::string comment = Comment(place);
    if (comment.find("example") != std::string::npos ||
        comment.find("Example") != std::string::npos)
      continue;
    EXPECT_TRUE(field->has_default_value()) << Where(field, place) << ": an example without a mark";
    if (!field->has_default_value()) continue;
    const google::protobuf::Message& defaults =
        *place.message->GetReflection()->GetMessageFactory()->GetPrototype(
            place.message->GetDescriptor());
    EXPECT_EQ(Value(*place.message, field, place.index), Value(defaults, field, -1))
        << Where(field, place);
  }
}

TEST_F(ReferenceConf, ExplainsEveryField) {
  for (const auto& [field, place] : first_)
    EXPECT_NE(Comment(place), "") << Where(field, place) << ": no comment";
}

}  // namespace
}  // namespace singa
