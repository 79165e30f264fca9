// Strokes of the embedded digits: what a pen draws, before it is bent and blurred.
#pragma once

#include <span>
#include <vector>

namespace singa {

// In a box where x runs right and y down; a digit fills about [-0.6, 0.6] x [-1, 1].
struct Point {
  float x = 0, y = 0;
};

// Points joined by straight lines; curves are fine polygons.
using Stroke = std::vector<Point>;

// The ways to write digit 0 to 9: each a list of strokes. Constant, made at the first use.
std::span<const std::vector<Stroke>> GlyphsOf(int digit);

}  // namespace singa
