// BlockOf finds the layers of a net that belong together, by their names.
#pragma once

#include <string>

namespace singa {

// Returns the name of the block that a layer belongs to, by its name: "a1" of a1conv2, "res2a" of
// res2a_branch1, "layers.3" of layers.3.mlp.fc1; "" if the name has neither a number nor a dot.
std::string BlockOf(const std::string& name);

}  // namespace singa
