// The -set option: one field of a conf, by its path.
//
//   option := path ("=" | "+=") value         += appends to a repeated field
//   path   := part ("." part)*
//   part   := field | "[" extension "]" | field "[" which "]"
//
// `which` picks messages of a repeated field: an index, or for layers a name (every layer of that
// name), or name#k (the k-th of them from 0), and @phase behind either for those of a phase:
// data@kTest. A message that is missing is created; a repeated
// field takes a,b,c, where "\," is a comma and "\\" a backslash. Strings need no quotes.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "driver/conf/conf_tree.h"

namespace singa {

// The part before "=" or "+=".
std::string SetOptionPath(const std::string& option);

// The option that appends `value`, whatever characters it has, to the repeated field `path`.
std::string AppendOption(const std::string& path, const std::string& value);

// Applies `option`, the `number`-th, to the message and to the tree of places that belongs to it.
// Returns which layers it has set, where they are several, else "". Throws ConfigError with the
// path as typed.
std::string ApplySetOption(const std::string& option, int number,
                           google::protobuf::Message* message, ConfNode* root);

}  // namespace singa
