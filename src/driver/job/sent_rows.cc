#include "driver/job/sent_rows.h"

#include <utility>

namespace singa {

// text: phase, layer, names of values; number: bad records, values.
void SentRows::Write(const MetricsRow& row) {
  WireMessage message;
  message.set_step(row.step);
  message.set_group(row.group);
  message.add_text(row.phase);
  message.add_text(row.layer);
  message.add_number(static_cast<double>(row.bad_records));
  for (const auto& [name, value] : row.values) {
    message.add_text(name);
    message.add_number(value);
  }
  process_.SendRow(std::move(message));
}

MetricsRow RowOf(const WireMessage& message) {
  MetricsRow row;
  row.step = message.step();
  row.group = static_cast<int>(message.group());
  if (message.text_size() >= 2) {
    row.phase = message.text(0);
    row.layer = message.text(1);
  }
  constexpr double kMostRecords = 1e15;
  if (message.number_size() > 0 && message.number(0) >= 0 && message.number(0) < kMostRecords)
    row.bad_records = static_cast<int64_t>(message.number(0));
  for (int i = 1; i < message.number_size() && i + 1 < message.text_size(); ++i)
    row.values.emplace_back(message.text(i + 1), message.number(i));
  return row;
}

}  // namespace singa
