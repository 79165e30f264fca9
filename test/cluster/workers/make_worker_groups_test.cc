// Tests how the processes of a job find out whether their GPUs add up. Processes are threads, and
// the GPUs are emulated.
#include "cluster/workers/make_worker_groups.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "singa/base/error.h"
#include "support/emulated_machine.h"
#include "support/threaded_job.h"

namespace singa::gpu_groups {
namespace {

JobProto Job(const std::string& gpus) {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat(gpus, R"( train_steps: 1 num_openblas_threads: 1 train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 8 shape: 5 synthetic_conf { records: 70 classes: 3 } } }
      layer { name: "fc" type: kInnerProduct srclayers: "data" innerproduct_conf { num_output: 3 }
              param { name: "w" init { type: kConstant } }
              param { name: "b" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    }
    cluster { nworkers_per_group: 4 nworkers_per_procs: 2 all_reduce {} })"),
      &job));
  return job;
}

class GpuGroups : public ::testing::Test {
 protected:
  // Starts both processes, with two workers each.
  void Begin(const JobProto& job) {
    processes_.emplace(job);
    processes_->MeetAll();
  }
  // Returns the error of rank 0. `second` runs as rank 1 meanwhile.
  std::string WhatRankZeroThrows(const std::function<void(JobProcess*)>& second) {
    std::thread other([&] { second(&(*processes_)[1]); });
    std::string what;
    try {
      MakeWorkerGroups((*processes_)[0].part().job(), 1, &(*processes_)[0]);
    } catch (const Error& error) {
      what = error.what();
    }
    other.join();
    return what;
  }
  // Has rank 1 take the question and answer it.
  static void Answer(JobProcess* process, const ControlMessage::Gpus& gpus) {
    EXPECT_TRUE(process->follower()->First().has_gpu_group());
    ControlMessage answer;
    *answer.mutable_gpus() = gpus;
    process->follower()->Answer(answer);
  }

  EmulatedMachine machine_{4};
  std::optional<ThreadedJob> processes_;
};

// Returns GPUs by number and identity.
ControlMessage::Gpus GpusOf(const std::vector<std::pair<int64_t, std::vector<uint32_t>>>& all) {
  ControlMessage::Gpus gpus;
  for (const auto& [number, identity] : all) {
    gpus.add_gpu()->set_number(number);
    gpus.mutable_gpu()->rbegin()->mutable_identity()->Add(identity.begin(), identity.end());
  }
  return gpus;
}

ControlMessage::Gpus TwoMore() { return GpusOf({{2, {2, 1, 2, 3}}, {3, {3, 1, 2, 3}}}); }

ControlMessage GroupOf(const std::string& id) {
  ControlMessage question;
  question.mutable_gpu_group()->set_id(id);
  return question;
}

// Returns the verdict. "": the GPUs of all processes add up.
ControlMessage VerdictOf(const std::string& why_not) {
  ControlMessage control;
  ControlMessage::GpuVerdict* const verdict = control.mutable_gpu_verdict();
  if (!why_not.empty()) verdict->set_why_not(why_not);
  return control;
}

const std::string kId(sizeof(GpuGroupId), 'a');

TEST_F(GpuGroups, AgreeWhereAllCan) {
  Begin(Job("gpu: 0 gpu: 1"));
  ControlMessage verdict;
  std::thread other([&] {
    Answer(&(*processes_)[1], TwoMore());
    verdict = (*processes_)[1].follower()->First();
  });
  const auto groups = MakeWorkerGroups((*processes_)[0].part().job(), 1, &(*processes_)[0]);
  other.join();
  EXPECT_TRUE(groups->teams().UpdatesOnGpus());
  EXPECT_TRUE(verdict.has_gpu_verdict());
  EXPECT_FALSE(verdict.gpu_verdict().has_why_not());
}

TEST_F(GpuGroups, AgreeThatNoneDoesWhereOneCannot) {
  Begin(Job("gpu: 0 gpu: 1"));
  ControlMessage verdict;
  std::thread other([&] {
    ControlMessage::Gpus none;
    none.set_why_not("its library is missing");
    Answer(&(*processes_)[1], none);
    verdict = (*processes_)[1].follower()->First();
  });
  const auto groups = MakeWorkerGroups((*processes_)[0].part().job(), 1, &(*processes_)[0]);
  other.join();
  EXPECT_FALSE(groups->teams().UpdatesOnGpus());
  EXPECT_EQ(verdict.gpu_verdict().why_not(), "process 1: its library is missing");
}

TEST_F(GpuGroups, TellWhyAProcessCannot) {
  Begin(Job("gpu: 0 gpu: 1"));
  machine_.SetGroups(false);
  JobProcess& second = (*processes_)[1];
  std::thread first([&] {
    (*processes_)[0].leader()->TellAll(GroupOf(kId));
    const auto answers = (*processes_)[0].leader()->AwaitAll(ControlMessage::kGpus);
    EXPECT_EQ(answers.at(0).gpus().why_not(), "the emulated machine has no library for it");
    EXPECT_EQ(answers.at(0).gpus().gpu_size(), 0);
    (*processes_)[0].leader()->TellAll(VerdictOf("no"));
  });
  EXPECT_EQ(JoinOnGpus(second.part().job(), 1, &second, second.follower()->First().gpu_group()),
            nullptr);
  first.join();
}

// Rank 1 is told that all GPUs add up, but knows that its own form no groups.
TEST_F(GpuGroups, DoNotBelieveThatTheyCan) {
  Begin(Job("gpu: 0 gpu: 1"));
  machine_.SetGroups(false);
  JobProcess& second = (*processes_)[1];
  (*processes_)[0].leader()->TellAll(GroupOf(kId));
  (*processes_)[0].leader()->TellAll(VerdictOf(""));
  EXPECT_THROW(JoinOnGpus(second.part().job(), 1, &second, second.follower()->First().gpu_group()),
               PeerError);
}

TEST_F(GpuGroups, RefuseAnIdThatIsNone) {
  Begin(Job("gpu: 0 gpu: 1"));
  JobProcess& second = (*processes_)[1];
  for (const std::string& id : {std::string(), std::string(127, 'a'), std::string(129, 'a')}) {
    (*processes_)[0].leader()->TellAll(GroupOf(id));
    EXPECT_THROW(
        JoinOnGpus(second.part().job(), 1, &second, second.follower()->First().gpu_group()),
        PeerError)
        << id;
  }
}

TEST_F(GpuGroups, RefuseAnswersWithoutAllGpus) {
  Begin(Job("gpu: 0 gpu: 1"));
  EXPECT_EQ(WhatRankZeroThrows([](JobProcess* process) {
              Answer(process, GpusOf({{2, {2, 1, 2, 3}}}));
            }),
            "process 1 does not say which GPUs it has");
  EXPECT_EQ(WhatRankZeroThrows([](JobProcess* process) {
              Answer(process, GpusOf({{2, {2, 1, 2, 3}}, {3, {3, 1, 2}}}));
            }),
            "process 1 does not say which GPUs it has");
}

TEST_F(GpuGroups, RefuseTwoWorkersOnOneGpu) {
  Begin(Job("gpu: 0 gpu: 1"));
  EXPECT_EQ(WhatRankZeroThrows([](JobProcess* process) {
              // This is GPU 1 by another number.
              Answer(process, GpusOf({{2, {2, 1, 2, 3}}, {7, {1, 1, 2, 3}}}));
            }),
            "cluster.all_reduce: workers 1 and 3 share GPU 7, and NCCL needs one for each");
}

// No process answers here.
TEST_F(GpuGroups, AskNobodyWhereRankZeroHasTooFew) {
  Begin(Job("gpu: 0"));
  EXPECT_FALSE(MakeWorkerGroups((*processes_)[0].part().job(), 1, &(*processes_)[0])
                   ->teams()
                   .UpdatesOnGpus());
}

TEST_F(GpuGroups, HaveTheGpusThatProcessesBeforeThemOnTheirHostLeave) {
  const JobProto job = Job("gpu: 5 gpu: 6 gpu: 7 gpu: 8");
  const JobSecrets secrets = JobSecrets::Make(2);
  const auto gpus = [&](int before) {
    const JobProcess process(job, {0, secrets.ForRank(0), std::nullopt, false, before});
    return process.part().plan().gpus;
  };
  EXPECT_EQ(gpus(0), (std::vector<int>{5, 6, 7, 8}));
  EXPECT_EQ(gpus(1), (std::vector<int>{7, 8}));
  EXPECT_EQ(gpus(2), (std::vector<int>{5, 6, 7, 8}));  // there are no more
}

}  // namespace
}  // namespace singa::gpu_groups
