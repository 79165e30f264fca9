// Reads any bytes as each of the texts in which plans are kept. What is read is written as a text
// that reads the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "driver/plan/plan_texts.h"

namespace singa {
namespace {

void Require(bool ok) {
  if (!ok) std::abort();
}

void Check(const std::string& text) {
  if (const auto partition = AutoPartitionOf(text)) {
    const auto again = AutoPartitionOf(ToText(*partition));
    Require(again && ToText(*again) == ToText(*partition));
    Describe(*partition);
  }
  if (const auto times = TimesOf(text)) {
    const auto again = TimesOf(ToText(*times));
    Require(again && ToText(*again) == ToText(*times));
  }
  if (const auto times = StepTimesOf(text)) Require(StepTimesOf(ToText(*times)) == times);
  if (const auto errors = ErrorsOf(text)) Require(ErrorsOf(ErrorsText(*errors)) == errors);
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  singa::Check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
