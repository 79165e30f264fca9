// WalkMessages visits the messages of a job with their paths.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <string>

namespace singa {

// Joins "a" and "b" to "a.b"; "" and "b" to "b".
std::string JoinPath(const std::string& path, const std::string& field);

// Returns a field's part of a path: "seed", or "[my.ext]" for an extension.
std::string FieldPart(const google::protobuf::FieldDescriptor& field);

// Calls `visit` for `message`, whose path is `path`, and for each message that is set in it,
// outermost first.
void WalkMessages(
    const google::protobuf::Message& message, const std::string& path,
    const std::function<void(const google::protobuf::Message&, const std::string& path)>& visit);

// Returns the number in a scalar field, 0 for a text. `index` is 0 unless the field is repeated.
double NumberIn(const google::protobuf::Message& message,
                const google::protobuf::FieldDescriptor& field, int index);

}  // namespace singa
