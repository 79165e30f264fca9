// ReferenceConf reads conf/reference.conf, and finds the first place of each field and its comment.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "singa/proto/job.pb.h"

namespace singa {

class ReferenceConf : public ::testing::Test {
 protected:
  using Field = google::protobuf::FieldDescriptor;
  using Message = google::protobuf::Message;
  using TextFormat = google::protobuf::TextFormat;

  // Place is one place of a field. index: -1 for a field that is not repeated; line, column: from
  // 0.
  struct Place {
    const Message* message;
    int index;
    int line;
    int column;
  };

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
    ErrorText errors;
    TextFormat::ParseInfoTree tree;
    TextFormat::Parser parser;
    parser.RecordErrorsTo(&errors);
    parser.WriteLocationsTo(&tree);
    ASSERT_TRUE(parser.Parse(&in, &conf_)) << errors.text;
    Collect(conf_, &tree);
  }

  // Returns the comment behind the value, with the lines below it, and the comment above. Lines
  // below begin farther right than the field; a comment above begins in the field's column.
  std::string Comment(const Place& place) const {
    std::string text = TrailingComment(lines_[place.line]);
    for (size_t i = place.line + 1; i < lines_.size() && CommentColumn(i) > place.column; ++i)
      text += " " + lines_[i].substr(CommentColumn(i) + 1);
    std::string above;
    for (int i = place.line - 1; i >= 0 && CommentColumn(i) == place.column; --i)
      above = lines_[i].substr(CommentColumn(i) + 1) + " " + above;
    return text + (text.empty() || above.empty() ? "" : "; ") + above;
  }

  static std::string Where(const Field* field, const Place& place) {
    return "conf/reference.conf:" + std::to_string(place.line + 1) + ": " + field->full_name();
  }

  JobProto conf_;
  std::map<const Field*, Place> first_;

 private:
  struct ErrorText : google::protobuf::io::ErrorCollector {
    void AddError(int line, int column, const std::string& message) override {
      text += std::to_string(line + 1) + ":" + std::to_string(column + 1) + ": " + message + "\n";
    }
    std::string text;
  };

  // Fills first_ with the first place of each field in `message` and below.
  void Collect(const Message& message, TextFormat::ParseInfoTree* tree) {
    std::vector<const Field*> fields;
    const auto* const reflection = message.GetReflection();
    reflection->ListFields(message, &fields);
    for (const Field* field : fields) {
      const int size = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
      for (int i = 0; i < size; ++i) {
        const int index = field->is_repeated() ? i : -1;
        const TextFormat::ParseLocation where = tree->GetLocation(field, index);
        const Place place{&message, index, where.line, where.column};
        const auto [first, is_new] = first_.emplace(field, place);
        if (!is_new && std::pair(place.line, place.column) <
                           std::pair(first->second.line, first->second.column))
          first->second = place;
        if (field->message_type() != nullptr)
          Collect(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                       : reflection->GetMessage(message, field),
                  tree->GetTreeForNested(field, index));
      }
    }
  }

  // Returns the column of a line that has only a comment; else -1.
  int CommentColumn(size_t line) const {
    const size_t start = lines_[line].find_first_not_of(' ');
    return start != std::string::npos && lines_[line][start] == '#' ? static_cast<int>(start) : -1;
  }

  static std::string TrailingComment(const std::string& line) {
    bool quoted = false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') quoted = !quoted;
      if (line[i] == '#' && !quoted) return line.substr(i + 1);
    }
    return "";
  }

  std::vector<std::string> lines_;
};

}  // namespace singa
