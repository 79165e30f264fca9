// CharacterJob is a job whose net predicts the next one of the characters a, b and c by a table.
#pragma once

#include <string>

#include "singa/base/str_cat.h"

namespace singa {

// Returns the text of its conf. Windows have 4 characters. Param "t", of shape [3, 3], is the table
// of scores: row for the character, column for the next one. `layers`: texts of more layers.
inline std::string CharacterJob(const std::string& layers = "") {
  return StrCat(R"(name: "m" train_one_batch { alg: kBPTT }
      neuralnet { unroll_len: 4
      layer { name: "text" type: kCharRNN char_rnn_conf {
                path: "gone" vocab_path: "gone" unroll_len: 4 batchsize: 6 } }
      layer { name: "label" type: kRNNLabel srclayers: "text" }
      layer { name: "table" type: kEmbedding srclayers: "text" param { name: "t" }
              embedding_conf { vocab_size: 3 feature_dim: 3 } } )",
                layers, R"(
      layer { name: "loss" type: kSoftmaxLoss srclayers: "table" srclayers: "label" } })");
}

}  // namespace singa
