// These functions describe types of layers for people: `singa layers [TYPE]`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "singa/proto/layer.pb.h"

namespace singa {

// Returns a line for each registered type, by kind; types for old files come last.
std::string LayersText();

// Returns the names of all registered types, in the order of the schema, then users' types.
std::vector<std::string> LayerNames();

// Returns what a type is for, its sources, its settings and an example; nothing if `name` is no
// type of the schema and no user's type. Of an old name it describes the plain type.
std::optional<std::string> LayerTextOf(const std::string& name);

// Returns a layer of the type with a few settings, as conf/reference.conf has it.
LayerProto ExampleOf(LayerType type);

}  // namespace singa
