// The files of the project that `singa new layer` writes. They stand in driver/template/layer, and
// the build makes this list of them.
#pragma once

#include <span>

namespace singa {

// A name that begins with "layer." follows the layer's own name.
struct TemplateFile {
  const char* name;
  const char* text;  // with words such as @NAME@, which are replaced
};

std::span<const TemplateFile> LayerTemplate();

}  // namespace singa
