#include "driver/bench/write_trace.h"

#include "driver/bench/flame_svg.h"
#include "driver/bench/trace_json.h"
#include "io/file/new_file.h"

namespace singa {
namespace {

void ReplaceFile(const std::string& path, const std::string& text) {
  PosixFileSystem disk;
  NewFile file(&disk, path);
  file.Write(text);
  file.Commit();
}

}  // namespace

void WriteTrace(const StepTrace& trace, const std::vector<RankTrace>& others,
                const std::string& json, const std::string& svg) {
  if (!json.empty()) {
    std::vector<RankTrace> ranks = {RankTraceOf(trace)};
    ranks.insert(ranks.end(), others.begin(), others.end());
    ReplaceFile(json, TraceJson(ranks));
  }
  if (!svg.empty()) ReplaceFile(svg, FlameSvg(trace));
}

}  // namespace singa
