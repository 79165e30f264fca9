// ValueParser turns the bytes of one value of a kvfile, or a line of a textfile, into a Sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/sample.h"
#include "io/store/store.h"
#include "io/value_error.h"

namespace singa {

class ValueParser {
 public:
  virtual ~ValueParser() = default;
  // Parses a value. The sample is valid until the next call. Throws ValueError.
  virtual const Sample& Parse(std::string_view value) = 0;
  // Returns only the label, quickly; nullopt: there is none, or only Parse can find it.
  virtual std::optional<int32_t> LabelOf(std::string_view) const { return {}; }
  // Returns the field of the label of a line of CSV, whatever it holds, or with `last` the last
  // field. nullopt: there is none, labels are words already, or fields seem to have another
  // separator.
  virtual std::optional<std::string> LabelFieldOf(std::string_view, bool /*last*/) const {
    return {};
  }
  // Returns whether the last field of a line of CSV seems to be a word as label, since the first
  // one can be no label.
  virtual bool LastSeemsLabel(std::string_view) const { return false; }
};

}  // namespace singa
