#include "driver/job/remote_metrics.h"

#include <algorithm>
#include <utility>

#include "base/text/short_text.h"
#include "cluster/protocol/staleness_counts.h"
#include "driver/job/job_rows.h"

namespace singa {
namespace {

// Limits that keep a message within a packet.
constexpr size_t kMostName = 1000;  // bytes
constexpr size_t kMostValues = 32;

}  // namespace

void RemoteMetrics::Write(const MetricsRows& rows) {
  for (const MetricsRow& row : rows) {
    MetricsRow::Values values = row.metrics;
    values.insert(values.end(), row.values.begin(), row.values.end());
    Send(row, values);
  }
}

// Sends a row. A row with many values is sent as several rows.
void RemoteMetrics::Send(const MetricsRow& row, const MetricsRow::Values& values) {
  size_t next = 0;
  do {
    ControlMessage::Row sent;
    sent.set_step(row.step);
    sent.set_group(row.group);
    sent.set_phase(row.phase);
    sent.set_layer(ShortText(row.layer, kMostName));
    sent.set_bad_records(row.bad_records);
    for (const size_t end = std::min(values.size(), next + kMostValues); next < end; ++next) {
      ControlMessage::Row::Value* const value = sent.add_value();
      value->set_name(ShortText(values[next].first, kMostName));
      value->set_value(values[next].second);
    }
    if (next == values.size())
      sent.mutable_staleness()->Add(row.staleness.begin(), row.staleness.end());
    process_.peers().SendRow(sent);
  } while (next < values.size());
}

MetricsRow RowOf(const ControlMessage::Row& sent) {
  MetricsRow row;
  row.step = sent.step();
  row.group = static_cast<int>(sent.group());
  row.phase = sent.phase();
  row.layer = sent.layer();
  row.bad_records = std::max<int64_t>(0, sent.bad_records());
  for (const ControlMessage::Row::Value& value : sent.value())
    row.values.emplace_back(value.name(), value.value());
  const int counts = std::min<int>(sent.staleness_size(), StalenessCounts::kMost + 1);
  for (int i = 0; i < counts; ++i) row.staleness.push_back(std::max<int64_t>(0, sent.staleness(i)));
  return row;
}

void ReceivedRows::Add(const ControlMessage::Row& sent) {
  MetricsRow row = RowOf(sent);
  NameProcess(process_, &row);
  const MutexLock lock(&mutex_);
  rows_.push_back(std::move(row));
}

void ReceivedRows::WriteTo(MetricsSink* sink) {
  std::vector<MetricsRow> rows;
  {
    const MutexLock lock(&mutex_);
    rows.swap(rows_);
  }
  for (const MetricsRow& row : rows) sink->Write({row});
}

}  // namespace singa
