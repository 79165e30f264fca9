// SmallGroups are the worker groups of a small job's one process. They train on synthetic records
// in some milliseconds.
#pragma once

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/workers/worker_groups.h"
#include "singa/base/str_cat.h"
#include "train/state/init_params.h"

namespace singa {

inline JobProto SmallGroupsJob(const std::string& cluster, const std::string& settings = "") {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat(R"(train_steps: 9 num_openblas_threads: 1 train_one_batch { alg: kBP }
    updater { type: kSGD momentum: 0.9 learning_rate { type: kFixed base_lr: 0.1 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 4 shape: 5 synthetic_conf { records: 40 classes: 3 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kUniform } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    }
    cluster { )",
             cluster, " } ", settings),
      &job));
  return job;
}

struct SmallGroups {
  explicit SmallGroups(const std::string& cluster, const std::string& settings = "")
      : SmallGroups(SmallGroupsJob(cluster, settings)) {}
  explicit SmallGroups(const JobProto& job) : groups(job, 1) {
    groups.Allocate();
    InitParams(groups.lead().model().ctx(), {}, &groups.lead().model().params());
    groups.Start(job.train_steps());
  }
  void Train(int group, int64_t step) {
    groups.team(group).TrainStep(step);
    groups.steps().NoteSteps(group, step + 1);
  }
  // Returns the values of `group` in one row.
  std::vector<float> ValuesOf(int group) {
    std::vector<float> all;
    for (const Param* param : groups.team(group).lead().model().trained().params)
      all.insert(all.end(), param->data.data(), param->data.data() + param->size());
    return all;
  }

  WorkerGroups groups;
};

}  // namespace singa
