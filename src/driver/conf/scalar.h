// These functions check single values of a text-format file against their fields.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

#include <string>
#include <vector>

namespace singa {

struct Scalar {
  bool negative = false;  // a minus sign precedes it
  google::protobuf::io::Tokenizer::TokenType type = google::protobuf::io::Tokenizer::TYPE_END;
  std::string text;   // as written, without the sign
  std::string value;  // a string's value, without quotes and escapes
};

// Returns what is wrong with `scalar` as a value of `field`; "" if nothing is.
std::string ScalarProblem(const google::protobuf::FieldDescriptor& field, const Scalar& scalar);

// Returns what is wrong with the content of a string; "" if nothing is.
std::string StringProblem(const std::string& value);

// Returns the kind of value that `field` takes: "an integer".
std::string KindOf(const google::protobuf::FieldDescriptor& field);

// Returns the names of a message's fields.
std::vector<std::string> FieldNames(const google::protobuf::Descriptor& type);

// Returns an error's text that `type` has no field `name`. It suggests a similar field of `type`,
// of an enclosing message, or of a message in it.
std::string NoSuchField(const google::protobuf::Descriptor& type, const std::string& name,
                        const google::protobuf::Descriptor* parent);

}  // namespace singa
