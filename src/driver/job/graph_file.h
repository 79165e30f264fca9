// Pictures of a net: SINGA 0.3's JSON and Graphviz's DOT.
#pragma once

#include <cstdint>
#include <string>

#include "base/file/file_system.h"
#include "singa/nn/net.h"

namespace singa {

std::string GraphJson(const Net& net);
std::string GraphDot(const Net& net, const std::string& title);
// Writes `stem`.json and `stem`.dot. Throws WriteError.
void WriteGraphFiles(FileSystem* files, const Net& net, const std::string& stem,
                     const std::string& title);

// JobProto.debug: <folder>/fp-step<N>-loc<W>.json and bp-step<N>-loc<W>.json, whose labels hold the
// mean absolute value of each layer's feature and params, and of their gradients. REQUIRES: the net
// keeps them to the end of a step. Throws WriteError.
void WriteDebugFiles(FileSystem* files, const Context& ctx, const Net& net,
                     const std::string& folder, int64_t step, int worker);

}  // namespace singa
