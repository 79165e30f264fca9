// NameLayers gives the layers and params of an import names that a job.conf can have.
#pragma once

#include <string>
#include <vector>

#include "driver/onnx/import/imported_net.h"

namespace singa {

// Returns a name for a value of a graph: without @, #, +, :, /, braces and bytes that are no
// printable ASCII. Returns `other` if nothing is left.
std::string CleanName(const std::string& value, const std::string& other);

// Sets the name of each layer, all different, then its srclayers, its time steps and its params. A
// layer has the name of the value that it gives, if that is valid. A param has the name of its
// constant. Layers of one type that use the same constants share their params by share_from.
void NameLayers(std::vector<ImportedLayer>* layers);

}  // namespace singa
