// Reads any bytes as the body of a request to `singa predict -serve`, as JSON and as floats. They
// are refused with BadRequest, or are whole records of finite numbers. The first byte chooses what
// the net takes.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "driver/http/http_access.h"
#include "driver/serve/input_rows.h"
#include "file_of_bytes.h"

namespace singa {
namespace {

constexpr int64_t kMostRecords = 5;

void Check(const InputRows& rows, const InputForm& form) {
  if (rows.records() < 1 || rows.records() > kMostRecords) std::abort();
  if (std::ssize(rows.numbers) != rows.records() * form.size) std::abort();
  for (const int64_t length : rows.lengths)
    if (length < 1 || length > form.size) std::abort();
  for (const float number : rows.numbers)
    if (!std::isfinite(number)) std::abort();
}

template <typename Read>
void Try(Read read, std::string_view body, const InputForm& form) {
  try {
    Check(read(body, form), form);
  } catch (const BadRequest&) {
  }
}

}  // namespace
}  // namespace singa

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  constexpr uint8_t kCharacters[] = {'a', 'b', '\n'};
  static const singa::FileOfBytes file(kCharacters, sizeof kCharacters);
  static const singa::Vocabulary vocabulary(file.path());
  singa::InputForm form = {.shape = {2, 3}, .size = 6, .most_records = singa::kMostRecords};
  if (data[0] % 2 == 1)
    form = {.shape = {4},
            .size = 4,
            .most_records = singa::kMostRecords,
            .vocabulary = &vocabulary,
            .short_texts = data[0] % 4 == 1};
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  singa::Try(singa::ReadJsonRows, body, form);
  singa::Try(singa::ReadFloatRows, body, form);
  return 0;
}
