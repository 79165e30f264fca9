// ValueStore is a store whose values are at known places of one file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file/input_file.h"
#include "io/file/scan_window.h"
#include "io/store/value_parser.h"

namespace singa {

constexpr int64_t kMaxValueBytes = int64_t{1} << 28;  // a larger value is damage

class ValueStore : public Store {
 public:
  // REQUIRES: there is a value, and all values are in the file.
  ValueStore(InputFile file, std::vector<ValuePlace> values, std::unique_ptr<ValueParser> parser);

  int64_t size() const override { return static_cast<int64_t>(values_.size()); }
  const std::string& name() const override { return file_.name(); }
  // Also throws DataError for a number that is nan or inf.
  const Sample& Read(int64_t index) override;
  LabelRange Labels() override;

 protected:
  const InputFile& file() const { return file_; }
  const ValueParser& parser() const { return *parser_; }
  // Returns a text that is added to an error in the value; "": no advice.
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
