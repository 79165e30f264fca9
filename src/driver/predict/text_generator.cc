#include "driver/predict/text_generator.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "nn/output/sample.h"
#include "singa/base/error.h"
#include "singa/base/philox.h"
#include "singa/tensor/context.h"

namespace singa {

TextGenerator::TextGenerator(const Model& model, const Vocabulary& vocabulary,
                             const GenerateOptions& options, int threads)
    : model_(model),
      vocabulary_(vocabulary),
      options_(options),
      session_(model, {.threads = threads, .step_by_step = true}),
      probabilities_(vocabulary.size()) {
  for (const unsigned char byte : options_.prime.value_or("\n")) {
    const int index = vocabulary_.IndexOf(byte);
    if (index < 0)
      throw DataError(vocabulary_.path(), -1,
                      options_.prime ? StrCat("lacks ", CharacterText(byte), ", which -prime has")
                                     : "lacks a newline, with which a text begins: give -prime "
                                       "TEXT, of characters that it has");
    prime_.push_back(static_cast<float>(index));
  }
}

void TextGenerator::Run() {
  for (const float character : prime_) Read(character);
  for (int64_t i = 0; i < options_.characters; ++i) {
    const float index = Draw(i);
    // Flush each character, as a person may be reading along.
    if (std::fputc(vocabulary_.Character(static_cast<int>(index)), stdout) == EOF ||
        std::fflush(stdout) != 0)
      throw FileError(kExitIo, "stdout", std::strerror(errno));
    if (i + 1 < options_.characters) Read(index);
  }
}

// Computes the step of a character.
void TextGenerator::Read(float character) {
  session_.Run({&character, 1}, probabilities_);
  double sum = 0;
  float least = 0;
  for (const float p : probabilities_) {
    sum += p;
    least = std::min(least, p);
  }
  if (!std::isfinite(sum))
    throw DivergedError(
        StrCat("the probabilities of layer \"", model_.layer(), "\" are not finite"));
  constexpr double kRounding = 1e-3;
  if (least < 0 || std::abs(sum - 1) > kRounding)
    throw Error(kExitUsage, StrCat("-generate: layer \"", model_.layer(),
                                   "\" gives no probabilities, as a kSoftmaxLoss does"));
}

// Draws character `place` of the text.
float TextGenerator::Draw(int64_t place) const {
  Context ctx;
  const Philox numbers = {options_.seed, HashName("generate")};
  const float u = numbers.Uniform(static_cast<uint64_t>(place));
  float index = 0;
  DrawIndex(ctx, probabilities_.data(), &u, 1 / options_.temperature, &index, 1,
            vocabulary_.size());
  return index;
}

}  // namespace singa
