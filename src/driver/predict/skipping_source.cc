#include "driver/predict/skipping_source.h"

#include <glog/logging.h>

#include <utility>

#include "base/text/counted.h"
#include "singa/base/error.h"

namespace singa {
namespace {

class SkippingSource final : public RecordSource {
 public:
  SkippingSource(std::unique_ptr<RecordSource> source, BadRecordCount* bad)
      : source_(std::move(source)), bad_(*bad) {}

  const Sample* Next() override {
    for (;;) {
      try {
        return source_->Next();
      } catch (const DataError& error) {
        if (++bad_.count > bad_.most)
          throw DataError(error.what(), -1,
                          StrCat("with it ", Counted(bad_.count, "record is", "records are"),
                                 " bad; max_bad_records allows ", bad_.most));
        LOG(WARNING) << error.what() << "; skipped";
      }
    }
  }
  std::string Name() const override { return source_->Name(); }
  std::string Where() const override { return source_->Where(); }

 private:
  const std::unique_ptr<RecordSource> source_;
  BadRecordCount& bad_;
};

}  // namespace

std::unique_ptr<RecordSource> SkipBadRecords(std::unique_ptr<RecordSource> source,
                                             BadRecordCount* bad) {
  if (bad->most == 0) return source;
  return std::make_unique<SkippingSource>(std::move(source), bad);
}

}  // namespace singa
