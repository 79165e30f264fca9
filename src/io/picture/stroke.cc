#include "io/picture/stroke.h"

#include <array>
#include <cmath>

namespace singa {
namespace {

using Glyph = std::vector<Stroke>;
constexpr float kDegree = 3.14159265f / 180;

// Returns part of an ellipse, drawn from `from` to `to` in degrees: 0 right, 90 down, 180 left, 270
// up.
Stroke Arc(float cx, float cy, float rx, float ry, float from, float to) {
  const int n = 2 + static_cast<int>(std::abs(to - from) / 20);
  Stroke stroke;
  for (int i = 0; i <= n; ++i) {
    const float angle =
        (from + (to - from) * static_cast<float>(i) / static_cast<float>(n)) * kDegree;
    stroke.push_back({cx + rx * std::cos(angle), cy + ry * std::sin(angle)});
  }
  return stroke;
}

// Returns `first` continued by `second`.
Stroke Then(Stroke first, const Stroke& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Returns an 8 drawn without lifting the pen.
Stroke Crossed() {
  Stroke stroke;
  for (int angle = 0; angle <= 360; angle += 15) {
    const float t = static_cast<float>(angle) * kDegree;
    stroke.push_back({0.5f * std::sin(2 * t), -std::cos(t)});
  }
  return stroke;
}

std::array<std::vector<Glyph>, 10> MakeGlyphs() {
  return {{
      {
          {Arc(0, 0, .58f, .97f, 0, 360)},
          {Arc(0, 0, .42f, 1, 0, 360)},
          {Arc(0, 0, .6f, .85f, -75, 270)},
          {Then({{.2f, -1}}, Arc(0, .05f, .55f, .95f, -100, -460))},
      },
      {
          {{{0, -1}, {0, 1}}},
          {{{-.35f, -.6f}, {.05f, -1}, {.05f, 1}}},
          {{{-.35f, -.65f}, {.05f, -1}, {.05f, 1}}, {{-.4f, 1}, {.5f, 1}}},
      },
      {
          {Then(Arc(0, -.45f, .53f, .53f, 195, 385), {{-.55f, 1}, {.6f, 1}})},
          {Then(Arc(0, -.5f, .5f, .5f, 180, 390), {{-.2f, .65f}}),
           Then(Arc(-.35f, .75f, .2f, .18f, 330, 30), {{.1f, .9f}, {.6f, .8f}})},
          {{{-.5f, -.65f},
            {-.2f, -1},
            {.25f, -1},
            {.5f, -.6f},
            {.25f, -.05f},
            {-.6f, 1},
            {.6f, .95f}}},
      },
      {
          {Then(Arc(-.05f, -.5f, .5f, .48f, 200, 450), Arc(-.05f, .48f, .58f, .5f, 270, 520))},
          {Then({{-.5f, -1}, {.45f, -1}, {-.1f, -.22f}}, Arc(-.05f, .4f, .58f, .6f, 270, 515))},
          {Then(Arc(-.1f, -.5f, .45f, .5f, 230, 420), {{-.1f, -.05f}}),
           Then({{-.1f, -.05f}}, Arc(-.1f, .45f, .65f, .52f, 285, 490))},
      },
      {
          {{{-.45f, -.95f}, {-.5f, .15f}, {.55f, .15f}}, {{.3f, -.6f}, {.3f, 1}}},
          {{{.25f, 1}, {.25f, -1}, {-.6f, .35f}, {.6f, .35f}}},
          {Then(Arc(.05f, -.9f, .5f, .95f, 180, 95), {{.5f, 0}}), {{.45f, -.9f}, {.4f, 1}}},
      },
      {
          {Then({{.5f, -1}, {-.38f, -1}, {-.45f, -.1f}}, Arc(-.05f, .38f, .57f, .6f, 240, 500))},
          {Then({{-.38f, -.95f}, {-.38f, -.15f}}, Arc(-.1f, .4f, .6f, .58f, 250, 490)),
           {{-.38f, -.95f}, {.5f, -1}}},
          {Then({{.45f, -.9f}, {-.1f, -1}, {-.45f, -.6f}, {-.3f, -.2f}},
                Arc(-.05f, .42f, .52f, .55f, 290, 510))},
      },
      {
          {Then({{.4f, -.95f}, {0, -.65f}, {-.35f, -.15f}}, Arc(0, .45f, .5f, .53f, 190, -170))},
          {Then({{-.1f, -1}, {-.38f, -.2f}}, Arc(-.02f, .5f, .42f, .48f, 190, -170))},
          {Then(Arc(.25f, 0, .75f, .95f, 290, 180), Arc(0, .5f, .5f, .45f, 180, -150))},
      },
      {
          {{{-.55f, -1}, {.55f, -1}, {-.1f, 1}}},
          {{{-.55f, -.95f}, {.55f, -1}, {.05f, 1}}, {{-.3f, .05f}, {.5f, 0}}},
          {{{-.55f, -.65f}, {-.55f, -1}, {.55f, -1}, {.15f, 0}, {0, 1}}},
      },
      {
          {Arc(0, -.5f, .42f, .48f, 90, 450), Arc(0, .5f, .54f, .5f, 270, 630)},
          {Crossed()},
          {Arc(.03f, -.55f, .36f, .42f, 90, 450), Arc(-.03f, .42f, .5f, .55f, 270, 630)},
      },
      {
          {Arc(0, -.45f, .48f, .52f, 0, 360), {{.48f, -.45f}, {.38f, 1}}},
          {Then(Arc(0, -.48f, .47f, .5f, 0, -360), {{.45f, .25f}, {.15f, .85f}, {-.35f, .95f}})},
          {Then(Arc(-.05f, -.5f, .5f, .45f, -40, -350), {{.45f, -.95f}, {.4f, 0}, {.35f, 1}})},
      },
  }};
}

}  // namespace

std::span<const Glyph> GlyphsOf(int digit) {
  static const std::array<std::vector<Glyph>, 10> glyphs = MakeGlyphs();
  return glyphs[digit];
}

}  // namespace singa
