#include "driver/job/remote_metrics.h"

#include <algorithm>
#include <utility>

#include "base/text/short_text.h"
#include "cluster/protocol/staleness_counts.h"
#include "driver/job/job_rows.h"

namespace singa {
namespace {

// So that a message is within the limits of a packet.
constexpr size_t kMostName = 1000;  // bytes
constexpr size_t kMostValues = 32;

}  // namespace

// text: phase, layer, names of values; number: bad records, values, staleness. A row with many
// values is sent as several.
void RemoteMetrics::Write(const MetricsRow& row) {
  size_t next = 0;
  do {
    WireMessage message;
    message.set_step(row.step);
    message.set_group(row.group);
    message.add_text(row.phase);
    message.add_text(ShortText(row.layer, kMostName));
    message.add_number(static_cast<double>(row.bad_records));
    for (const size_t end = std::min(row.values.size(), next + kMostValues); next < end; ++next) {
      message.add_text(ShortText(row.values[next].first, kMostName));
      message.add_number(row.values[next].second);
    }
    if (next == row.values.size())
      for (const int64_t updates : row.staleness) message.add_number(static_cast<double>(updates));
    process_.SendRow(std::move(message));
  } while (next < row.values.size());
}

MetricsRow RowOf(const WireMessage& message) {
  MetricsRow row;
  row.step = message.step();
  row.group = static_cast<int>(message.group());
  if (message.text_size() >= 2) {
    row.phase = message.text(0);
    row.layer = message.text(1);
  }
  if (message.number_size() > 0) row.bad_records = CountOf(message.number(0));
  int i = 1;
  for (; i < message.number_size() && i + 1 < message.text_size(); ++i)
    row.values.emplace_back(message.text(i + 1), message.number(i));
  for (; i < message.number_size() && row.staleness.size() <= StalenessCounts::kMost; ++i)
    row.staleness.push_back(CountOf(message.number(i)));
  return row;
}

void ReceivedRows::Add(const WireMessage& message) {
  MetricsRow row = RowOf(message);
  NameProcess(process_, &row);
  const std::lock_guard lock(mutex_);
  rows_.push_back(std::move(row));
}

void ReceivedRows::WriteTo(MetricsSink* sink) {
  std::vector<MetricsRow> rows;
  {
    const std::lock_guard lock(mutex_);
    rows.swap(rows_);
  }
  for (const MetricsRow& row : rows) sink->Write(row);
}

}  // namespace singa
