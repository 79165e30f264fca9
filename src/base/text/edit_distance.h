// Suggests names for an unknown name.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of
// neighbours.
int EditDistance(const std::string& a, const std::string& b);

// Returns `; did you mean "fc1"?` for the nearest of `known`, whatever its case, or "" if none is
// near. Near is a distance of at most a third of the text's length without an ending "_conf", or of
// 1.
std::string DidYouMean(const std::string& text, const std::vector<std::string>& known);
// Returns what DidYouMean does, but `; there are a, b and 7 more` if none is near.
std::string DidYouMeanOneOf(const std::string& text, const std::vector<std::string>& known);

}  // namespace singa
