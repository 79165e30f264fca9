// The layers that nets of test/nn/group_test.cc are written with, and the files that they read.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "io/store_files.h"
#include "io/temp_dir.h"
#include "singa/base/str_cat.h"

namespace singa::group_layers {

// Writes files that nets of this test read.
inline const TempDir& StoredFiles() {
  static const TempDir dir;
  static const bool written = [] {
    std::string csv, shard;
    for (int i = 0; i < 17; ++i) {
      csv += StrCat(i % 3, ",", 0.1 * i, ",", 0.5 - 0.05 * i, "\n");
      Record record;
      record.mutable_image()->ParseFromString(
          Pixels(i % 3, std::string(16, static_cast<char>(13 * i)), {1, 4, 4}));
      shard += Tuple("k", record.SerializeAsString());
    }
    dir.Write("csv", csv);
    std::string shares;  // two targets in [0, 1]
    for (int i = 0; i < 17; ++i) shares += StrCat(i % 2, ",", 0.25 * (i % 5), ",", 0.1 * i, "\n");
    dir.Write("shares", shares);
    dir.Write("shard.dat", shard);
    std::string text;
    for (int i = 0; i < 500; ++i) text += "abcde"[i * i % 7 % 5];
    dir.Write("text", text);
    dir.Write("vocabulary", "abcde");
    std::string sequences;  // five indices, some followed by padding, and one more to tell
    for (int i = 0; i < 17; ++i)
      for (int t = 0; t < 6; ++t)
        sequences += StrCat(t < 2 + i % 5 ? (3 * i + t) % 4 : -1, t < 5 ? "," : "\n");
    dir.Write("sequences", sequences);
    return true;
  }();
  EXPECT_TRUE(written);
  return dir;
}

inline std::string Path(const char* file) { return StrCat("'", StoredFiles().Path(file), "'"); }

// Returns a layer with one source and settings.
inline std::string L(const std::string& name, const std::string& type, const std::string& source,
                     const std::string& more = "") {
  return StrCat("layer { name: '", name, "' type: ", type, " srclayers: '", source, "' ", more,
                " }\n");
}

// Returns `n` params with names.
inline std::string Params(const std::string& layer, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += StrCat("param { name: '", layer, "_", i, "' } ");
  return text;
}

// Returns a layer with two sources.
inline std::string Join(const std::string& name, const std::string& first,
                        const std::string& second, const std::string& settings = "") {
  return StrCat("layer { name: '", name, "' type: kEltwise srclayers: '", first, "' srclayers: '",
                second, "' eltwise_conf { ", settings, " } }\n");
}

inline std::string Fc(const std::string& name, const std::string& source, int units,
                      const std::string& more = "") {
  return L(name, "kInnerProduct", source,
           StrCat(Params(name, 2), "innerproduct_conf { num_output: ", units, " } ", more));
}

inline std::string Conv(const std::string& type, const std::string& name,
                        const std::string& source) {
  return L(name, type, source,
           Params(name, 2) + "convolution_conf { num_filters: 5 kernel: 3 pad: 1 }");
}

inline std::string Loss(const std::string& scores, const std::string& labels,
                        const std::string& more = "") {
  return StrCat("layer { name: 'loss' type: kSoftmaxLoss srclayers: '", scores, "' srclayers: '",
                labels, "' ", more, " }\n");
}

// Returns an input of seven records of a store: their rows cannot be cut evenly.
inline std::string Records(const std::string& shape, const std::string& sizes = "batchsize: 7") {
  return StrCat("layer { name: 'data' type: kRecordInput store_conf { backend: 'synthetic' ", sizes,
                " shuffle: true std_value: 255 synthetic_conf { records: 20 classes: 3 } ", shape,
                " } }\n");
}
inline const std::string kRow = "shape: 6", kImage = "shape: 3 shape: 6 shape: 6";

inline std::string Text(int steps) {
  return StrCat("unroll_len: ", steps,
                "\nlayer { name: 'text' type: kCharRNN char_rnn_conf { path: ", Path("text"),
                " vocab_path: ", Path("vocabulary"), " unroll_len: ", steps, " batchsize: 7 } }\n",
                L("label", "kRNNLabel", "text"),
                L("in", "kEmbedding", "text",
                  Params("in", 1) + "embedding_conf { vocab_size: 5 feature_dim: 4 }"));
}

inline std::string Recurrent(const std::string& type, const std::string& field, int params,
                             const std::string& more = "") {
  return StrCat(
      Text(4),
      L("rnn", type, "in", StrCat(Params("rnn", params), field, " { dim_hidden: 3 ", more, " }")),
      L("drop", "kDropout", "rnn"), Fc("fc", "drop", 5), Loss("fc", "label"));
}

inline std::string Sequences() {
  return StrCat(
      "unroll_len: 5\nlayer { name: 'data' type: kCSVInput unroll_len: 1 store_conf { "
      "path: ",
      Path("sequences"), " batchsize: 7 shape: 6 has_label: false } }\n",
      L("steps", "kTimeSteps", "data", "unroll_len: 1 time_steps_conf { unroll_len: 5 ahead: 1 }"),
      L("label", "kRNNLabel", "steps"),
      L("in", "kOneHot", "steps", "onehot_conf { vocab_size: 4 }"),
      L("rnn", "kGRU", "in", Params("rnn", 9) + "gru_conf { dim_hidden: 3 }"));
}

inline std::string Cnn(const std::string& prefix, const std::string& more = "") {
  return Records(kImage) + Conv("kConvolution", "conv", "data") +
         L("bn", prefix.empty() ? "kBM" : "kCudnnBM", "conv", Params("bn", 4)) +
         L("relu", "kReLU", "bn") +
         L("pool", prefix.empty() ? "kPooling" : "kCudnnPool", "relu",
           "pooling_conf { pool: MAX kernel: 3 stride: 2 }") +
         L("lrn", prefix.empty() ? "kLRN" : "kCudnnLRN", "pool", "lrn_conf { local_size: 3 }") +
         Conv(prefix.empty() ? "kCConvolution" : "kCudnnConv", "conv2", "lrn") +
         L("pool2", "kCPooling", "conv2", "pooling_conf { pool: AVG kernel: 2 stride: 1 }") + more;
}

}  // namespace singa::group_layers
