// Holds conf/reference.conf against the protos: it names every field, shows its default and says
// what it means. The rules, for the first place in the file where a field occurs:
//   - there is a comment, at the end of its line or on the lines right above;
//   - the value is the default, unless that comment has the word "example"; a field without a
//     default has it.
// Later places are free examples.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "singa/proto/job.pb.h"

namespace singa {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

// One place of a field. index: -1 for a field that is not repeated; line: from 0.
struct Place {
  const Message* message;
  int index;
  int line;
  int column;
};

class Errors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    text_ += std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": " + message + "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void AddReachable(const Descriptor* type, std::set<const Descriptor*>* types) {
  if (!types->insert(type).second) return;
  for (int i = 0; i < type->field_count(); ++i)
    if (const Descriptor* sub = type->field(i)->message_type()) AddReachable(sub, types);
}

std::string Value(const Message& message, const FieldDescriptor* field, int index) {
  std::string text;
  TextFormat::PrintFieldValueToString(message, field, index, &text);
  return text;
}

// The comment that ends `line`, "" if there is none.
std::string TrailingComment(const std::string& line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) return line.substr(i);
  }
  return "";
}

class ReferenceConf : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(SINGA_SOURCE_DIR "/conf/reference.conf");
    ASSERT_TRUE(file.is_open());
    std::stringstream text;
    for (std::string line; std::getline(file, line);) {
      lines_.push_back(line);
      text << line << '\n';
    }
    const std::string bytes = text.str();
    google::protobuf::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()));
    Errors errors;
    TextFormat::ParseInfoTree tree;
    TextFormat::Parser parser;
    parser.RecordErrorsTo(&errors);
    parser.WriteLocationsTo(&tree);
    ASSERT_TRUE(parser.Parse(&in, &conf_)) << errors.text();
    Collect(conf_, &tree);
  }

  // Fills first_ with the first place of each field in `message` and below.
  void Collect(const Message& message, TextFormat::ParseInfoTree* tree) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      const int size =
          field->is_repeated() ? message.GetReflection()->FieldSize(message, field) : 1;
      for (int i = 0; i < size; ++i) {
        const int index = field->is_repeated() ? i : -1;
        const TextFormat::ParseLocation where = tree->GetLocation(field, index);
        const Place place{&message, index, where.line, where.column};
        const auto [first, is_new] = first_.emplace(field, place);
        if (!is_new && std::pair(place.line, place.column) <
                           std::pair(first->second.line, first->second.column))
          first->second = place;
        if (field->message_type() != nullptr)
          Collect(field->is_repeated()
                      ? message.GetReflection()->GetRepeatedMessage(message, field, i)
                      : message.GetReflection()->GetMessage(message, field),
                  tree->GetTreeForNested(field, index));
      }
    }
  }

  // The comment of the field on `line`, in lower case.
  std::string Comment(int line) const {
    std::string text = TrailingComment(lines_[line]);
    for (; line > 0; --line) {
      const std::string& above = lines_[line - 1];
      const size_t start = above.find_first_not_of(' ');
      if (start == std::string::npos || above[start] != '#') break;
      text += above.substr(start);
    }
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  }

  static std::string Where(const FieldDescriptor* field, const Place& place) {
    return "conf/reference.conf:" + std::to_string(place.line + 1) + ": " + field->full_name();
  }

  JobProto conf_;
  std::vector<std::string> lines_;
  std::map<const FieldDescriptor*, Place> first_;
};

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
    if (Comment(place.line).find("example") != std::string::npos) continue;
    EXPECT_TRUE(field->has_default_value()) << Where(field, place) << ": an example without a mark";
    if (!field->has_default_value()) continue;
    const Message& defaults = *place.message->GetReflection()->GetMessageFactory()->GetPrototype(
        place.message->GetDescriptor());
    EXPECT_EQ(Value(*place.message, field, place.index), Value(defaults, field, -1))
        << Where(field, place);
  }
}

TEST_F(ReferenceConf, ExplainsEveryField) {
  for (const auto& [field, place] : first_)
    EXPECT_NE(Comment(place.line), "") << Where(field, place) << ": no comment";
}

}  // namespace
}  // namespace singa
