// The -set option sets one field of a conf by its path.
//
//   option := path ("=" | "+=") value         += appends to a repeated field
//   path   := part ("." part)*
//   part   := field | "[" extension "]" | field "[" which "]"
//
// `which` chooses messages of a repeated field. It is an index or, for layers, a name (all layers
// of that name) or name#k (the k-th of them, from 0). @phase after a name chooses the layers of a
// phase: data@kTest. A missing message is created. A repeated field takes a,b,c, where "\," is a
// comma and "\\" a backslash. Strings need no quotes.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "driver/conf/conf_tree.h"

namespace singa {

// Returns the part before "=" or "+=".
std::string SetOptionPath(const std::string& option);

// Returns the option that appends `value`, with any characters, to the repeated field `path`.
std::string AppendOption(const std::string& path, const std::string& value);

// Applies `option`, the `number`-th, to the message and to its tree of places. If it sets several
// layers, returns their names, else "". Throws ConfigError with the path as typed.
std::string ApplySetOption(const std::string& option, int number,
                           google::protobuf::Message* message, ConfNode* root);

}  // namespace singa
