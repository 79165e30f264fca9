// Tests that a step in steady state allocates no memory of the project's own on the worker's
// thread. Calls inside oneDNN's library are not counted. The test does not run under a sanitizer,
// which has an operator new of its own.
#ifndef SINGA_SANITIZED
#include <dlfcn.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <new>
#include <thread>

#include "comm/exchange/memory_exchange.h"
#include "nn/connection/bridge.h"
#include "singa/base/str_cat.h"
#include "train/state/init_params.h"
#include "train/trainer/forwarder.h"
#include "train/trainer/trainer.h"

namespace {
thread_local bool counting = false;
thread_local int allocations = 0;

bool InOneDnn(const void* caller) {
  Dl_info info;
  return dladdr(caller, &info) && info.dli_fname && std::strstr(info.dli_fname, "libdnnl");
}

void* Count(std::size_t bytes, std::size_t alignment, const void* caller) {
  if (counting) {
    counting = false;  // dladdr may allocate
    if (!InOneDnn(caller)) ++allocations;
    counting = true;
  }
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded ? rounded : alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t bytes) { return Count(bytes, 16, __builtin_return_address(0)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return Count(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
// These are not inlined: otherwise g++ would see that memory of `new` goes to free.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace singa {
namespace {

std::string Recurrent(const std::string& name, const std::string& type, const std::string& source,
                      int params) {
  std::string text = StrCat("layer { name: \"", name, "\" type: ", type, " srclayers: \"", source,
                            "\" ", name, "_conf { dim_hidden: 5 carry_state: true }");
  for (int i = 0; i < params; ++i) text += " param { init { type: kUniform } }";
  return text + " }";
}

// Returns a CNN with every built-in layer that trains, on a CSV store of 4 records.
JobProto CnnJob(const std::string& path, const std::string& updater) {
  JobProto job;
  const std::string text =
      StrCat(R"(
    train_steps: 100 train_one_batch { alg: kBP } updater { )",
             updater, R"(
      learning_rate { type: kFixed base_lr: 0.01 } }
    neuralnet {
      layer { name: "data" type: kCSVInput store_conf { path: ")",
             path,
             R"(" batchsize: 4
              shape: 1 shape: 6 shape: 6 shuffle: true } }
      layer { name: "conv" type: kConvolution srclayers: "data"
              convolution_conf { num_filters: 4 kernel: 3 }
              param { name: "w1" init { type: kUniform } } param { name: "b1" init { type: kConstant } } }
      layer { name: "relu" type: kReLU srclayers: "conv" }
      layer { name: "pool" type: kPooling srclayers: "relu" pooling_conf { pool: MAX kernel: 2 stride: 2 } }
      layer { name: "fc1" type: kInnerProduct srclayers: "pool" innerproduct_conf { num_output: 8 }
              param { name: "w2" init { type: kUniform } } param { name: "b2" init { type: kConstant } } }
      layer { name: "tanh" type: kSTanh srclayers: "fc1" }
      layer { name: "drop" type: kDropout srclayers: "tanh" }
      layer { name: "mix" type: kAttention srclayers: "drop"
              attention_conf { num_heads: 2 dropout_ratio: 0.1 } }
)" + Recurrent("gru", "kGRU", "mix", 9) +
                 Recurrent("lstm", "kLSTM", "gru", 12) + Recurrent("rnn", "kRNN", "lstm", 3) + R"(
      layer { name: "fc2" type: kInnerProduct srclayers: "rnn" innerproduct_conf { num_output: 3 }
              param { name: "w3" init { type: kUniform } } param { name: "b3" init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "fc2" srclayers: "data" }
    })");
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &job));
  return job;
}

// Writes 4 records, and returns their file.
std::string WriteRecords() {
  const std::string path = ::testing::TempDir() + "/allocation_test.csv";
  std::ofstream csv(path);
  for (int r = 0; r < 4; ++r) {
    csv << r % 3;
    for (int i = 0; i < 36; ++i) csv << ',' << (i * 7 + r) % 5;
    csv << '\n';
  }
  csv.close();
  return path;
}

// Trains 25 steps, and returns the allocations of this thread in the last 20.
int AllocationsOfSteps(Trainer* trainer) {
  for (int64_t step = 0; step < 5; ++step) trainer->TrainStep(step);
  allocations = 0;
  counting = true;
  for (int64_t step = 5; step < 25; ++step) trainer->TrainStep(step);
  counting = false;
  return allocations;
}

class AllocationTest : public ::testing::TestWithParam<std::tuple<bool, std::string>> {};
INSTANTIATE_TEST_SUITE_P(
    Kernels, AllocationTest,
    ::testing::Combine(::testing::Bool(),
                       ::testing::Values("type: kSGD momentum: 0.9 weight_decay: 0.01",
                                         "type: kAdam clip_norm: 1",
                                         "type: kRMSProp rmsprop_conf { rho: 0.9 }")));

TEST_P(AllocationTest, AStepInSteadyStateAllocatesNothing) {
  JobProto job = CnnJob(WriteRecords(), std::get<1>(GetParam()));
  job.set_plain_kernels(std::get<0>(GetParam()));
  Trainer trainer(job, 1);
  trainer.Allocate();
  InitParams(trainer.model().ctx(), {}, &trainer.model().params());
  EXPECT_EQ(AllocationsOfSteps(&trainer), 0);
}

// The two workers of a group divide layers by rows and by units.
TEST_P(AllocationTest, AStepOfWorkersThatDivideLayersAllocatesNothing) {
  JobProto job = CnnJob(WriteRecords(), std::get<1>(GetParam()));
  job.set_plain_kernels(std::get<0>(GetParam()));
  for (LayerProto& layer : *job.mutable_neuralnet()->mutable_layer())
    if (layer.name() == "conv" || layer.name() == "relu" || layer.name() == "fc1")
      layer.set_partition_dim(1);
  Replica replica(job);
  ReplicaUpdates updates(job, &replica);
  std::deque<Trainer> workers;
  WorkerPlace place = {.workers = 2, .here = 2};
  for (; place.worker < 2; ++place.worker) workers.emplace_back(job, place, &replica, &updates);
  WorkerModel& lead = workers[0].model();
  GradientReduction reduction(lead.trained().table, &updates,
                              {.ranks = {0, 2}, .group = 2, .here = 2});
  const RegionBoard regions(SizesOfBridges(lead.net().nodes(), 2), {0, 2});
  MemoryExchange first(&regions, &reduction.group(), 0, nullptr);
  MemoryExchange second(&regions, &reduction.group(), 1, nullptr);
  workers[0].AllocateIn(&reduction, &first, nullptr, nullptr);
  workers[1].AllocateIn(&reduction, &second, nullptr, &workers[0]);
  InitParams(lead.ctx(), {}, &lead.params());
  int counts[2] = {-1, -1};
  std::thread thread([&] { counts[1] = AllocationsOfSteps(&workers[1]); });
  counts[0] = AllocationsOfSteps(&workers[0]);
  thread.join();
  EXPECT_EQ(counts[0], 0);
  EXPECT_EQ(counts[1], 0);
}

TEST_P(AllocationTest, AForwardPassOfATrainedNetAllocatesNothing) {
  JobProto job = CnnJob("no file", std::get<1>(GetParam()));
  job.set_plain_kernels(std::get<0>(GetParam()));
  Forwarder trained(job, {}), net(job, {.max_batch = 4});
  for (const auto& param : trained.params().params())
    param->data = Tensor::Allocate(param->shape());
  net.Open(trained.params());
  const std::vector<float> rows(7 * 36, 1);
  std::vector<float> out(7 * 3);
  net.Run(rows.data(), 7, out.data());  // a batch of 4, one of 2, one of 1
  allocations = 0;
  counting = true;
  for (int i = 0; i < 5; ++i) net.Run(rows.data(), 7, out.data());
  counting = false;
  EXPECT_EQ(allocations, 0);
}
}  // namespace
}  // namespace singa

#endif
