// Single values of a text-format file: whether one fits its field, and why not.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

#include <string>
#include <vector>

namespace singa {

struct Scalar {
  bool negative = false;  // a minus sign stood before it
  google::protobuf::io::Tokenizer::TokenType type = google::protobuf::io::Tokenizer::TYPE_END;
  std::string text;   // as written, without the sign
  std::string value;  // of a string: without quotes and escapes
};

// What is wrong with `scalar` as a value of `field`; "" if nothing is.
std::string ScalarProblem(const google::protobuf::FieldDescriptor& field, const Scalar& scalar);

// What is wrong with the content of a string; "" if nothing is.
std::string StringProblem(const std::string& value);

// The kind of value that `field` takes: "an integer".
std::string KindOf(const google::protobuf::FieldDescriptor& field);

// The names of a message's fields.
std::vector<std::string> FieldNames(const google::protobuf::Descriptor& type);

// Why `type` has no field `name`, with the nearest it has, or a message around or in it.
std::string NoSuchField(const google::protobuf::Descriptor& type, const std::string& name,
                        const google::protobuf::Descriptor* parent);

}  // namespace singa
