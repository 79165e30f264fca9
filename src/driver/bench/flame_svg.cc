#include "driver/bench/flame_svg.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <vector>

#include "base/text/formatted.h"
#include "base/text/json_text.h"
#include "base/text/short_text.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int kPhases = 6;  // the kinds of spans, then the rest of the step
constexpr const char* kPhaseNames[kPhases] = {"forward",       "backward", "updates",
                                              "communication", "waits",    "rest"};
constexpr const char* kPhaseColours[kPhases] = {"#9ecae1", "#fdbe85", "#a1d99b",
                                                "#bcbddc", "#d9d9d9", "#f2f2f2"};
constexpr double kStepWidth = 1180, kRowHeight = 24, kLeft = 10, kTop = 34,
                 kCharacter = 7;  // pixels

// Nanoseconds by layer; layer -1 has the time that is for no layer.
using Times = std::map<int, int64_t>;

// Returns the time of each phase without the spans inside its spans.
std::array<Times, kPhases> SelfTimesOf(const StepTrace& trace) {
  std::array<Times, kPhases> times;
  int64_t rest = trace.time.length();
  std::vector<const TraceSpan*> open;  // each is inside the one before
  for (const TraceSpan& span : trace.workers.at(0)) {
    while (!open.empty() && open.back()->time.to <= span.time.from) open.pop_back();
    int64_t* const outer = open.empty() ? &rest : &times[open.back()->kind][open.back()->layer];
    *outer -= span.time.length();
    times[span.kind][span.layer] += span.time.length() - span.computing;
    if (span.computing > 0) times[TraceSpan::kBackwardCall][span.layer] += span.computing;
    open.push_back(&span);
  }
  times[kPhases - 1][-1] = rest;
  return times;
}

// Returns the text for XML. Bytes that are not UTF-8 and control characters are replaced.
std::string XmlText(const std::string& text) {
  std::string escaped;
  for (const char c : ReplaceInvalidUtf8(text)) {
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += std::iscntrl(static_cast<unsigned char>(c)) ? '?' : c;
  }
  return escaped;
}

// Returns the first letters and the number after them, without the time step of a full name.
std::string BlockOf(const std::string& layer) {
  const size_t step = layer.find('#');
  size_t end = step == std::string::npos ? 0 : step + 1;
  const size_t begin = end;
  const auto is = [&](int (*kind)(int)) {
    return end < layer.size() && kind(static_cast<unsigned char>(layer[end])) != 0;
  };
  while (is(std::isalpha)) ++end;
  while (is(std::isdigit)) ++end;
  return end == begin ? layer : layer.substr(begin, end - begin);
}

class Picture {
 public:
  explicit Picture(const StepTrace& trace) : trace_(trace), times_(SelfTimesOf(trace)) {}

  std::string Text() {
    const double height = kTop + 4 * kRowHeight + 10;
    text_ = StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 ", height,
                   "\" font-family=\"sans-serif\" font-size=\"12\">\n",
                   "<rect width=\"1200\" height=\"", height, "\" fill=\"white\"/>\n",
                   "<text x=\"10\" y=\"22\" font-size=\"14\">worker 0, from above: the step, its "
                   "phases, blocks of layers, layers</text>\n");
    Box(0, StrCat("step ", trace_.step), "#eeeeee", 0, trace_.time.length());
    int64_t from = 0;
    for (int phase = 0; phase < kPhases; ++phase) from = Phase(phase, from);
    return text_ + "</svg>\n";
  }

 private:
  // Draws a phase that begins at `from`. Returns its end.
  int64_t Phase(int phase, int64_t from) {
    const char* const colour = kPhaseColours[phase];
    int64_t to = from, block_from = from;
    std::string block;
    const auto end_block = [&] {
      if (to > block_from) Box(2, block, colour, block_from, to);
      block_from = to;
    };
    for (const auto& [layer, time] : times_[phase]) {
      if (time <= 0) continue;
      if (layer >= 0) {
        const std::string& name = trace_.layers[layer];
        if (BlockOf(name) != block) end_block();
        block = BlockOf(name);
        Box(3, name, colour, to, to + time);
      }
      to += time;
      if (layer < 0) block_from = to;
    }
    end_block();
    if (to > from) Box(1, kPhaseNames[phase], colour, from, to);
    return to;
  }

  // Draws a box with its name, if that fits, and a tip with its time.
  void Box(int row, const std::string& name, const char* colour, int64_t from, int64_t to) {
    const double scale =
        kStepWidth / static_cast<double>(std::max<int64_t>(1, trace_.time.length()));
    const double x = kLeft + scale * static_cast<double>(from);
    const double width = scale * static_cast<double>(to - from);
    const double y = kTop + kRowHeight * row;
    text_ += StrCat("<g><title>", XmlText(name), Formatted(MsOf(to - from), ": %.3f ms, "),
                    Formatted(100 * width / kStepWidth, "%.1f"), " %</title><rect x=\"",
                    Formatted(x, "%.2f"), "\" y=\"", y, "\" width=\"", Formatted(width, "%.2f"),
                    "\" height=\"", kRowHeight - 1, "\" fill=\"", colour, "\" stroke=\"white\"/>");
    const auto fits = static_cast<size_t>(width / kCharacter);
    if (fits >= 4 || fits > name.size())
      text_ += StrCat("<text x=\"", Formatted(x + 3, "%.2f"), "\" y=\"", y + 16, "\">",
                      XmlText(ShortText(name, fits)), "</text>");
    text_ += "</g>\n";
  }

  const StepTrace& trace_;
  const std::array<Times, kPhases> times_;
  std::string text_;
};

}  // namespace

std::string FlameSvg(const StepTrace& trace) { return Picture(trace).Text(); }

}  // namespace singa
