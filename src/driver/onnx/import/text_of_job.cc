#include "driver/onnx/import/text_of_job.h"

#include <algorithm>
#include <random>
#include <string_view>

#include "driver/onnx/import/job_import.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa {
namespace {

constexpr int kNoiseWindows = 3;      // windows of a text of noise, for each row of the batch
constexpr int64_t kCharacters = 256;  // a character is a byte

int DigitOf(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const size_t digit = kDigits.find(c);
  return digit == std::string_view::npos ? -1 : static_cast<int>(digit);
}

// Returns the characters that hex digits stand for.
std::string CharactersOf(const std::string& hex, const std::string& file) {
  const auto fail = [&] {
    throw DataError(file, -1,
                    "its metadata \"vocabulary\" must have two hex digits for each character, "
                    "each character once");
  };
  std::string characters;
  if (hex.empty() || hex.size() % 2 != 0) fail();
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = DigitOf(hex[i]), low = DigitOf(hex[i + 1]);
    if (high < 0 || low < 0) fail();
    const auto character = static_cast<char>(high * 16 + low);
    if (characters.find(character) != std::string::npos) fail();
    characters += character;
  }
  return characters;
}

std::string VocabularyBytes(const OnnxModel& model, const std::string& file, int64_t characters) {
  const auto entry = model.metadata.find("vocabulary");
  if (entry != model.metadata.end()) return CharactersOf(entry->second, file);
  if (characters > kCharacters)
    throw DataError(file, -1,
                    StrCat("reads ", characters, " kinds of tokens; the texts of an imported job ",
                           "have characters, at most ", kCharacters));
  std::string vocabulary;
  for (int64_t i = 0; i < std::max<int64_t>(1, characters); ++i) vocabulary += static_cast<char>(i);
  return vocabulary;
}

}  // namespace

void SetText(const OnnxModel& model, const std::string& file, const ImportOptions& options,
             int64_t characters, ImportedText* files, CharRNNProto* conf) {
  if (!options.mean.empty() || !options.std.empty() || !options.backend.empty() ||
      !options.label_path.empty())
    throw Error(kExitUsage, "-mean, -std, -backend and -labels: the model reads a text");
  conf->set_batchsize(kImportBatchSize);
  files->vocabulary = VocabularyBytes(model, file, characters);
  if (!options.store.empty()) return conf->set_path(options.store);
  std::mt19937 draw(1);
  const int64_t size = int64_t{kImportBatchSize} * (kNoiseWindows * conf->unroll_len() + 1);
  files->text.reserve(size);
  for (int64_t i = 0; i < size; ++i)
    files->text += files->vocabulary[draw() % files->vocabulary.size()];
}

}  // namespace singa
