// Visits the messages of a job with their paths.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <string>

namespace singa {

// "" or "a" and "b": "a.b"
std::string JoinPath(const std::string& path, const std::string& field);

// A field's own part of a path: "seed", or "[my.ext]" of an extension.
std::string PartOf(const google::protobuf::FieldDescriptor& field);

// Calls `visit` for `message`, whose path is `path`, and each message that is set in it, outermost
// first.
void WalkMessages(
    const google::protobuf::Message& message, const std::string& path,
    const std::function<void(const google::protobuf::Message&, const std::string& path)>& visit);

// The number in a scalar field, 0 for a text; `index` of a repeated one, else 0.
double NumberIn(const google::protobuf::Message& message,
                const google::protobuf::FieldDescriptor& field, int index);

}  // namespace singa
