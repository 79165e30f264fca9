// The schema and conf/reference.conf, which CMake puts into the library.
#pragma once

#include <span>

namespace singa {

// Returns proto/*.proto with their comments, as the bytes of a FileDescriptorSet. Files stand
// behind those that they import.
std::span<const unsigned char> SchemaBytes();
// Returns the text of conf/reference.conf.
const char* ReferenceConfText();

}  // namespace singa
