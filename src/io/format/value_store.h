// ValueStore: a store whose values lie at known places of one file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file/input_file.h"
#include "io/format/scan_window.h"
#include "io/format/value_parser.h"

namespace singa {

constexpr int64_t kMaxValueBytes = int64_t{1} << 28;  // a larger value is damage

class ValueStore : public Store {
 public:
  // REQUIRES: at least one value; all lie in the file.
  ValueStore(InputFile file, std::vector<ValuePlace> values, std::unique_ptr<ValueParser> parser);

  int64_t size() const override { return static_cast<int64_t>(values_.size()); }
  const std::string& name() const override { return file_.name(); }
  // Throws DataError for a number that is nan or inf, too.
  const Sample& Read(int64_t index) override;
  LabelRange Labels() override;

 protected:
  const InputFile& file() const { return file_; }
  // Added to an error in the value; "" where there is no advice.
  virtual std::string Advice(int64_t, std::string_view) const { return ""; }
  const ValuePlace& place(int64_t index) const { return values_[index]; }

 private:
  std::string_view ValueAt(int64_t index);

  InputFile file_;
  std::vector<ValuePlace> values_;
  std::unique_ptr<ValueParser> parser_;
  std::vector<char> value_;
};

}  // namespace singa
