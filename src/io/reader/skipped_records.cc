#include "io/reader/skipped_records.h"

#include <glog/logging.h>

#include "base/text/counted.h"
#include "singa/base/error.h"

namespace singa {

void SkippedRecords::Add(const BadRecords& found, const std::set<int64_t>& beside) {
  beside_.insert(beside.begin(), beside.end());
  for (const auto& [index, text] : found) {
    if (records_.contains(index)) continue;
    const auto count = static_cast<int64_t>(records_.size());
    if (count >= most_)
      throw DataError(text, -1,
                      StrCat("with it ", Counted(count + 1, "record is", "records are"),
                             " bad; max_bad_records allows ", most_));
    records_.insert(index);
    Warn(text);
  }
}

void SkippedRecords::Warn(const std::string& text) {
  constexpr int kNamed = 10;
  if (++warnings_ > kNamed + 1) return;
  if (warnings_ <= kNamed)
    LOG(WARNING) << text << "; skipped: the next readable record stands in its place";
  else
    LOG(WARNING) << text << "; skipped, as " << kNamed
                 << " before; more of this store are counted, not named";
}

void SkippedRecords::Restore(const std::vector<int64_t>& records) {
  records_ = {records.begin(), records.end()};
}

int64_t SkippedRecords::StandIn(int64_t index, int64_t records) const {
  const auto skipped = [this](int64_t i) { return records_.contains(i) || beside_.contains(i); };
  for (int64_t tried = 0; tried < records && skipped(index); ++tried) index = (index + 1) % records;
  return index;
}

}  // namespace singa
