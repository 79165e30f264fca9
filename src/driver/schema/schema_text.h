// These functions describe messages and fields of the schema for people, as `singa help` does.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

namespace singa {

// Returns `text` in lines of at most 100 columns. The first follows `head`, and the others are
// indented by `indent` blanks.
std::string Wrapped(const std::string& head, const std::string& text, size_t indent);

// Returns "int32, default 3", "list of string" or "required PoolMethod".
std::string TypeOf(const google::protobuf::FieldDescriptor& field);

// Returns the field's type, default, comment and, for an enum, its values, as one line.
std::string MeaningOf(const google::protobuf::FieldDescriptor& field);

// Returns the fields of a message, each on lines of its own, with those of inner messages in short
// below. Fields for old files, and those that the system sets, are named at the end.
std::string FieldsText(const google::protobuf::Descriptor& message);

// A field of job.conf. `path` is that of -set, such as neuralnet.layer[NAME].dropout_conf.
struct FieldPlace {
  std::string path;
  const google::protobuf::FieldDescriptor* field;
};
// Returns all fields of job.conf, outer ones first. Fields of the layers of `repeat` are left out,
// as they are those of all layers.
std::vector<FieldPlace> AllFields();

}  // namespace singa
