// SmallJob is a job on synthetic records that trains in some milliseconds.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "driver/job/run_job.h"
#include "io/metrics/metrics_sink.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns the job. `settings` are more fields of the JobProto, and may override its own.
inline JobProto SmallJob(const std::string& workspace, const std::string& settings = "") {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(name: "small" num_openblas_threads: 1 train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.05 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf { backend: "synthetic" batchsize: 4
              shape: 4 std_value: 255 synthetic_conf { records: 12 classes: 2 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 2 }
              param { name: "w" init { type: kUniform low: -0.2 high: 0.2 } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    })",
      &job));
  EXPECT_TRUE(google::protobuf::TextFormat::MergeFromString(settings, &job)) << settings;
  job.mutable_cluster()->set_workspace(workspace);
  return job;
}

// Returns options for workers of one thread.
inline RunOptions OneThread(bool resume = false) {
  RunOptions options;
  options.threads = 1;
  options.resume = resume;
  return options;
}

// KeptMetrics keeps the rows of a job.
class KeptMetrics final : public MetricsSink {
 public:
  void Write(const MetricsRows& written) override {
    rows.insert(rows.end(), written.begin(), written.end());
  }
  MetricsRows rows;
};

}  // namespace singa
