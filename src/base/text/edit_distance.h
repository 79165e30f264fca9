// Suggestions for a name that nobody knows.
#pragma once

#include <string>
#include <vector>

namespace singa {

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
int EditDistance(const std::string& a, const std::string& b);

// `; did you mean "fc1"?` for the nearest of `known`, whatever its case, or "" where none is near:
// a distance of at most a third of the text's length, without an ending "_conf", and at least 1.
std::string DidYouMean(const std::string& text, const std::vector<std::string>& known);
// As DidYouMean, but `; there are a, b and 7 more` where none is near.
std::string DidYouMeanOneOf(const std::string& text, const std::vector<std::string>& known);

}  // namespace singa
