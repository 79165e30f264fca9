#include "driver/bench/bench_report.h"

#include <vector>

#include "base/text/aligned_table.h"
#include "base/text/counted.h"
#include "base/text/formatted.h"
#include "base/text/json_text.h"
#include "driver/bench/report_text.h"

namespace singa {
namespace {

using Cells = std::vector<std::string>;

// Formats a value; "-" if it is 0.
std::string Some(double value, const char* format) {
  return value > 0 ? Formatted(value, format) : "-";
}

Cells CellsOf(const BenchRow& row, double peak) {
  return {row.layer,
          row.type,
          Formatted(row.forward_ms, "%.3f"),
          Formatted(row.backward_ms, "%.3f"),
          Formatted(row.update_ms, "%.3f"),
          Some(row.gflops(), "%.1f"),
          Some(row.gb_per_s(), "%.1f"),
          Some(100e9 * row.gflops() / peak, "%.0f")};
}

nlohmann::ordered_json ToJson(const BenchRow& row, double peak) {
  nlohmann::ordered_json json;
  json["forward_ms"] = row.forward_ms;
  json["backward_ms"] = row.backward_ms;
  json["update_ms"] = row.update_ms;
  json["flops"] = row.flops;
  json["bytes"] = row.bytes;
  json["gflops"] = row.gflops();
  json["gb_per_s"] = row.gb_per_s();
  json["fma_share"] = 1e9 * row.gflops() / peak;
  return json;
}

}  // namespace

double BenchRow::gflops() const {
  const double ms = forward_ms + backward_ms;
  return ms > 0 ? 1e-6 * flops / ms : 0;
}

double BenchRow::gb_per_s() const {
  const double ms = forward_ms + backward_ms + update_ms;
  return ms > 0 ? 1e-6 * bytes / ms : 0;
}

std::string BenchTable(const BenchReport& r) {
  std::vector<Cells> rows = {
      {"layer", "type", "forward ms", "backward ms", "update ms", "GFLOP/s", "GB/s", "% of peak"}};
  for (const BenchRow& row : r.layers) rows.push_back(CellsOf(row, r.peak));
  rows.push_back(CellsOf(r.sum, r.peak));
  std::string text = AlignedTable(rows, 2) + "\n";
  text += TimeLine("step          ", r.step_ms,
                   StrCat(", ", Formatted(r.samples_per_second(), "%.0f"), " samples/s, median of ",
                          Counted(r.steps, "step"), " of ", r.batch));
  text += TimeLine("  layers      ", r.sum.forward_ms + r.sum.backward_ms + r.sum.update_ms);
  if (r.late_update_ms >= 0.0005) text += TimeLine("  late updates", r.late_update_ms);
  text += TimeLine("  data wait   ", r.wait_ms, r.synthetic ? " (noise in place of data)" : "");
  text += TimeLine("  overhead    ", r.overhead_ms);
  text += StrCat("machine        ", Formatted(1e-9 * r.peak, "%.0f"), " GFLOP/s ",
                 r.gpu.empty() ? "" : "(product of large matrices) ", "and ",
                 Formatted(1e-9 * r.copy_rate, "%.0f"), " GB/s (copy) on ",
                 r.gpu.empty() ? Counted(r.threads, "thread") : r.gpu, "\n");
  text += StrCat("peak RSS       ", r.peak_rss >> 20, " MiB\n");
  return text;
}

std::string BenchJson(const BenchReport& r) {
  std::string text;
  for (const BenchRow& row : r.layers) {
    nlohmann::ordered_json json = {{"layer", row.layer}, {"type", row.type}};
    json.update(ToJson(row, r.peak));
    text += JsonText(json) + "\n";
  }
  nlohmann::ordered_json json = ToJson(r.sum, r.peak);
  json["late_update_ms"] = r.late_update_ms;
  json["data_wait_ms"] = r.wait_ms;
  json["overhead_ms"] = r.overhead_ms;
  json["step_ms"] = r.step_ms;
  json["samples_per_second"] = r.samples_per_second();
  json["steps"] = r.steps;
  json["batch"] = r.batch;
  json["threads"] = r.threads;
  json["synthetic"] = r.synthetic;
  if (!r.gpu.empty()) json["gpu"] = r.gpu;
  json["fma_peak_gflops"] = 1e-9 * r.peak;
  json["copy_gb_per_s"] = 1e-9 * r.copy_rate;
  json["peak_rss_bytes"] = r.peak_rss;
  return text + JsonText(json) + "\n";
}

}  // namespace singa
