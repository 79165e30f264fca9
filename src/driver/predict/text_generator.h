// TextGenerator writes a text to stdout, character by character. It draws each character by the
// probabilities that the net computes from those before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/vocabulary.h"
#include "singa/driver/model.h"

namespace singa {

struct GenerateOptions {
  int64_t characters = 1;                 // how many; >= 1
  std::optional<std::string> prime = {};  // what the net continues; not empty; not set: a newline
  float temperature = 1;                  // > 0; its inverse is finite
  uint64_t seed = 0;
};

class TextGenerator {
 public:
  // The model gives a probability for each character of the vocabulary. `model` and `vocabulary`
  // must outlive it. Throws ConfigError if the net cannot compute step by step, and DataError if
  // the vocabulary lacks a character of the prime.
  TextGenerator(const Model& model, const Vocabulary& vocabulary, const GenerateOptions& options,
                int threads);

  // Throws DivergedError if probabilities are not finite.
  void Run();

 private:
  void Read(float character);
  float Draw(int64_t place) const;

  const Model& model_;
  const Vocabulary& vocabulary_;
  const GenerateOptions options_;
  Session session_;
  std::vector<float> prime_;          // indices
  std::vector<float> probabilities_;  // of the next character
};

}  // namespace singa
