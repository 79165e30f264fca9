#include "io/picture/digits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "io/picture/stroke.h"
#include "singa/base/philox.h"

namespace singa {
namespace {

constexpr float kPi = 3.14159265f;

// Limits of the random differences between pictures, tuned with tool/golden/digits_difficulty.py.
constexpr float kRotation = 15 * kPi / 180;             // radians, to either side
constexpr float kShear = 0.2f;                          // x by y
constexpr float kShift = 3.5f;                          // pixels
constexpr float kLeastScale = 7.5f, kMostScale = 9.8f;  // pixels for 1 of a stroke
constexpr float kWarp = 0.08f;                          // share of a stroke's coordinates
constexpr float kLeastPen = 0.8f, kMostPen = 1.6f;      // half the width of a stroke, pixels
constexpr float kLeastBlur = 0.6f, kMostBlur = 1.2f;    // width of a stroke's edge, pixels
constexpr float kLeastInk = 0.46f;
constexpr float kMostGlow = 0.275f;                  // background at the brightest corner
constexpr float kMostNoise = 0.08f;                  // standard deviation
constexpr float kOccluded = 0.02f;                   // share of pictures with a hole
constexpr float kLeastHole = 1.2f, kMostHole = 2.f;  // radius, pixels

using Canvas = std::array<float, kDigitPixels>;

// The random numbers of one picture, in the order of use.
class Draws {
 public:
  explicit Draws(const Philox& philox) : philox_(philox) {}
  float Between(float low, float high) { return low + (high - low) * philox_.Uniform(next_++); }
  float Around0(float most) { return Between(-most, most); }
  uint32_t Below(uint32_t n) {
    return static_cast<uint32_t>((uint64_t{philox_.Word(next_++)} * n) >> 32);
  }

 private:
  Philox philox_;
  uint64_t next_ = 0;
};

// Maps a stroke's coordinates to pixels: a smooth bend, then an affine map.
class Distortion {
 public:
  explicit Distortion(Draws* draws)
      : bend_x_(draws->Around0(kWarp)),
        bend_y_(draws->Around0(kWarp)),
        phase_x_(draws->Between(0, 2 * kPi)),
        phase_y_(draws->Between(0, 2 * kPi)) {
    const float angle = draws->Around0(kRotation), shear = draws->Around0(kShear);
    const float sx = draws->Between(kLeastScale, kMostScale) * draws->Between(.8f, 1.15f);
    const float sy = draws->Between(kLeastScale, kMostScale);
    const float c = std::cos(angle), s = std::sin(angle);
    xx_ = c * sx, xy_ = c * sx * shear - s * sy;
    yx_ = s * sx, yy_ = s * sx * shear + c * sy;
    constexpr float kCentre = (kDigitSide - 1) / 2.f;
    x0_ = kCentre + draws->Around0(kShift);
    y0_ = kCentre + draws->Around0(kShift);
  }

  Point operator()(Point p) const {
    const float x = p.x + bend_x_ * std::sin(2.5f * p.y + phase_x_);
    const float y = p.y + bend_y_ * std::sin(2.5f * p.x + phase_y_);
    return {x0_ + xx_ * x + xy_ * y, y0_ + yx_ * x + yy_ * y};
  }

 private:
  float bend_x_, bend_y_, phase_x_, phase_y_;
  float xx_, xy_, yx_, yy_, x0_, y0_;
};

// A background that is brighter on one side.
class Background {
 public:
  explicit Background(Draws* draws) {
    const float angle = draws->Between(0, 2 * kPi), glow = draws->Between(0, kMostGlow);
    base_ = glow / 2;
    dx_ = glow / kDigitSide * std::cos(angle);
    dy_ = glow / kDigitSide * std::sin(angle);
  }
  float operator()(int x, int y) const {
    constexpr float kCentre = (kDigitSide - 1) / 2.f;
    return std::max(0.f, base_ + dx_ * (static_cast<float>(x) - kCentre) +
                             dy_ * (static_cast<float>(y) - kCentre));
  }

 private:
  float base_, dx_, dy_;
};

float DistanceToLine(Point p, Point a, Point b) {
  const float dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
  float t = length2 > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length2 : 0;
  t = std::clamp(t, 0.f, 1.f);
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

int Pixel(float x) { return std::clamp(static_cast<int>(std::floor(x)), 0, kDigitSide - 1); }

// Draws ink of 1 within `pen` pixels of the line from a to b, falling to 0 over `blur` pixels.
void DrawLine(Point a, Point b, float pen, float blur, Canvas* canvas) {
  const float reach = pen + blur;
  for (int y = Pixel(std::min(a.y, b.y) - reach); y <= Pixel(std::max(a.y, b.y) + reach + 1); ++y) {
    for (int x = Pixel(std::min(a.x, b.x) - reach); x <= Pixel(std::max(a.x, b.x) + reach + 1);
         ++x) {
      const float d = DistanceToLine({static_cast<float>(x), static_cast<float>(y)}, a, b);
      const float ink = std::clamp((reach - d) / blur, 0.f, 1.f);
      float& pixel = (*canvas)[y * kDigitSide + x];
      pixel = std::max(pixel, ink);
    }
  }
}

// Makes a hole of `radius` pixels at `at`.
void Occlude(Point at, float radius, Canvas* canvas) {
  for (int y = 0; y < kDigitSide; ++y)
    for (int x = 0; x < kDigitSide; ++x)
      if (std::hypot(static_cast<float>(x) - at.x, static_cast<float>(y) - at.y) < radius)
        (*canvas)[y * kDigitSide + x] = 0;
}

void DrawGlyph(const std::vector<Stroke>& glyph, Draws* draws, Canvas* canvas) {
  const Distortion distort(draws);
  const float pen = draws->Between(kLeastPen, kMostPen);
  const float blur = draws->Between(kLeastBlur, kMostBlur);
  std::vector<Point> points;
  for (const Stroke& stroke : glyph) {
    Point last = distort(stroke[0]);
    points.push_back(last);
    for (size_t i = 1; i < stroke.size(); ++i) {
      const Point next = distort(stroke[i]);
      DrawLine(last, next, pen, blur, canvas);
      points.push_back(last = next);
    }
  }
  const Point hole = points[draws->Below(static_cast<uint32_t>(points.size()))];
  const float radius = draws->Between(kLeastHole, kMostHole);
  if (draws->Between(0, 1) < kOccluded) Occlude(hole, radius, canvas);
}

}  // namespace

uint8_t DrawDigit(uint64_t seed, const std::string& stream, uint32_t index,
                  std::span<uint8_t, kDigitPixels> pixel) {
  Draws draws({seed, HashName("digits/" + stream), index});
  const uint32_t digit = draws.Below(10);
  const auto glyphs = GlyphsOf(static_cast<int>(digit));
  const auto& glyph = glyphs[draws.Below(static_cast<uint32_t>(glyphs.size()))];
  Canvas canvas{};
  DrawGlyph(glyph, &draws, &canvas);
  const float ink = draws.Between(kLeastInk, 1), noise = draws.Between(0, kMostNoise);
  const Background glow(&draws);
  const Philox grain{seed, HashName("digits/noise/" + stream), index};
  for (int i = 0; i < kDigitPixels; i += 4) {
    const std::array<uint32_t, 4> words = grain.Block(i / 4);
    std::array<float, 4> normal;
    Philox::ToGaussian(words[0], words[1], &normal[0], &normal[1]);
    Philox::ToGaussian(words[2], words[3], &normal[2], &normal[3]);
    for (int j = 0; j < 4; ++j) {
      const float paper = glow((i + j) % kDigitSide, (i + j) / kDigitSide);
      const float value = std::lerp(paper, ink, canvas[i + j]) + noise * normal[j];
      pixel[i + j] = static_cast<uint8_t>(std::lround(255 * std::clamp(value, 0.f, 1.f)));
    }
  }
  return static_cast<uint8_t>(digit);
}

DigitSet DrawDigits(uint64_t seed, const std::string& stream, int64_t n) {
  DigitSet set;
  set.pixels.resize(n * kDigitPixels);
  set.labels.resize(n);
  for (int64_t i = 0; i < n; ++i)
    set.labels[i] = DrawDigit(
        seed, stream, static_cast<uint32_t>(i),
        std::span<uint8_t, kDigitPixels>(set.pixels.data() + i * kDigitPixels, kDigitPixels));
  return set;
}

}  // namespace singa
