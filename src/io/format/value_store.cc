#include "io/format/value_store.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

// Returns whether no number is nan or inf, whose exponents have all bits set. Compilers vectorise
// sums of integers, but not early exits.
bool AllFinite(std::span<const float> numbers) {
  constexpr uint32_t kExponent = 0x7f800000;
  uint32_t others = 0;
  for (float x : numbers) others |= (std::bit_cast<uint32_t>(x) & kExponent) == kExponent;
  return others == 0;
}

// Throws ValueError for the first number that is not finite; `what` says what the numbers are.
void RequireFinite(std::span<const float> numbers, const char* what) {
  if (AllFinite(numbers)) return;
  for (size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]))
      throw ValueError(StrCat(what, " ", i + 1, " is ",
                              std::isnan(numbers[i]) ? "nan"
                              : numbers[i] < 0       ? "-inf"
                                                     : "inf",
                              ": ", what, "s must be finite"));
}

}  // namespace

ValueStore::ValueStore(InputFile file, std::vector<ValuePlace> values,
                       std::unique_ptr<ValueParser> parser)
    : file_(std::move(file)), values_(std::move(values)), parser_(std::move(parser)) {}

std::string_view ValueStore::ValueAt(int64_t index) {
  const ValuePlace& place = values_[index];
  value_.resize(place.size);
  file_.ReadAt(place.offset, value_.data(), place.size);
  return {value_.data(), value_.size()};
}

const Sample& ValueStore::Read(int64_t index) {
  const std::string_view value = ValueAt(index);
  try {
    const Sample& sample = parser_->Parse(value);
    RequireFinite(sample.data, "number");
    RequireFinite(sample.targets, "target");
    return sample;
  } catch (const ValueError& error) {
    throw DataError(Where(index), -1, error.what() + Advice(index, value));
  }
}

LabelRange ValueStore::Labels() {
  constexpr int64_t kMostBytes = int64_t{64} << 20;
  LabelRange range;
  int64_t bytes = 0;
  for (const ValuePlace& place : values_) bytes += place.size;
  if (bytes > kMostBytes) return range;
  for (int64_t i = 0; i < size(); ++i)
    if (const auto label = parser_->LabelOf(ValueAt(i)); label && *label != kNoLabel)
      range.Add(*label, i);
  return range;
}

}  // namespace singa
