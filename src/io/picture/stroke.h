// Strokes of the embedded digits, before they are bent and blurred.
#pragma once

#include <span>
#include <vector>

namespace singa {

// A point; x runs right and y down. A digit fills about [-0.6, 0.6] x [-1, 1].
struct Point {
  float x = 0, y = 0;
};

// Points joined by straight lines; curves are fine polygons.
using Stroke = std::vector<Point>;

// Returns the ways to write digit 0 to 9, each a list of strokes. They are constant and made at the
// first use.
std::span<const std::vector<Stroke>> GlyphsOf(int digit);

}  // namespace singa
