// DeviceModel is a machine with one emulated GPU, and a job on pictures with trained values. One
// layer of the job runs on the host alone.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "singa/driver/model.h"
#include "singa/proto/job.pb.h"
#include "support/emulated_machine.h"
#include "support/net_test.h"
#include "train/trainer/forwarder.h"

namespace singa::device_model {

inline constexpr int64_t kNumbers = 3 * 6 * 6, kRecords = 23;

// The layer `twice` doubles its input, on the host.
inline std::string PictureJob(const std::string& csv, int outputs = 3) {
  return StrCat(R"(name: "m" train_one_batch { alg: kBP } neuralnet {
    layer { name: "data" type: kCSVInput store_conf { path: ")",
                csv, R"(" batchsize: 8 shape: 3 shape: 6 shape: 6 mean_value: 2 std_value: 3 } }
    layer { name: "conv" type: kConvolution srclayers: "data"
            convolution_conf { num_filters: 4 kernel: 3 pad: 1 }
            param { name: "w1" } param { name: "b1" } }
    layer { name: "bn" type: kBM srclayers: "conv" param { name: "g" } param { name: "o" }
            param { name: "m" } param { name: "v" } }
    layer { name: "pool" type: kPooling srclayers: "bn" pooling_conf { kernel: 2 stride: 2 } }
    layer { name: "twice" user_type: "DoublesOnTheHost" srclayers: "pool" }
    layer { name: "fc" type: kInnerProduct srclayers: "twice" innerproduct_conf { num_output: )",
                outputs, R"( } param { name: "w2" } param { name: "b2" } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" } })");
}

class DeviceModel : public ::testing::Test {
 protected:
  DeviceModel() {
    std::string lines;
    for (int64_t r = 0; r < kRecords; ++r) {
      lines += std::to_string(r % 3);
      for (int64_t i = 0; i < kNumbers; ++i) {
        rows_.push_back(static_cast<float>((i * 7 + r * 5) % 11));
        lines += "," + std::to_string((i * 7 + r * 5) % 11);
      }
      lines += "\n";
    }
    csv_ = dir_.Write("records.csv", lines);
    conf_ = WriteJob("job", PictureJob(csv_));
  }

  // Writes the conf and, beside it, trained values. Returns the conf's path.
  std::string WriteJob(const std::string& name, const std::string& text) {
    JobProto job;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
    Forwarder net(job, {});
    std::deque<Tensor> values;
    std::vector<StoredTensor> tensors;
    for (const auto& param : net.params().params()) {
      FillUniform(param->name(), &values.emplace_back(Tensor::Allocate(param->shape())));
      if (param->name() == "v") std::fill_n(values.back().data(), param->size(), 0.7f);
      tensors.push_back(Stored(param->name(), param->shape(), values.back().data()));
    }
    const std::string conf = dir_.Write(name + ".conf", text);
    WriteTensors(conf + ".safetensors", tensors);
    return conf;
  }

  static Model Open(const std::string& conf, std::optional<int> gpu,
                    const std::string& layer = "") {
    return Model(conf, {.checkpoint = conf + ".safetensors", .layer = layer, .gpu = gpu});
  }
  std::vector<float> Run(const Model& model, int64_t n = kRecords) const {
    return Session(model).Run({rows_.data(), static_cast<size_t>(n * kNumbers)});
  }

  EmulatedMachine machine_{1};
  TempDir dir_;
  std::string csv_, conf_;
  std::vector<float> rows_;
};

}  // namespace singa::device_model
