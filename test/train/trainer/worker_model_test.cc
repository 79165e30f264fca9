// Tests what a worker has to compute with: its nets, its threads, the params that it trains, and
// the memory that they need.
#include "train/trainer/worker_model.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "base/thread/omp_threads.h"
#include "singa/base/error.h"
#include "singa/base/str_cat.h"

namespace singa::worker_model {
namespace {

constexpr int64_t kWide = 500 * 700, kNarrow = 700 * 3;  // floats of the weights

// Only "wide" is large enough for a gradient in pieces. "fixed" does not train.
JobProto Job(const std::string& more = "") {
  JobProto job;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(StrCat(R"(train_one_batch { alg: kBP }
    updater { type: kSGD learning_rate { type: kFixed base_lr: 0.1 } }
    neuralnet {
      layer { name: "data" type: kRecordInput store_conf {
        backend: "synthetic" batchsize: 8 shape: 500 synthetic_conf { records: 40 classes: 3 } } }
      layer { name: "a" type: kInnerProduct srclayers: "data"
              innerproduct_conf { num_output: 700 bias_term: false }
              param { name: "wide" init { type: kUniform } } }
      layer { name: "b" type: kInnerProduct srclayers: "a" innerproduct_conf { num_output: 3 }
              param { name: "narrow" init { type: kUniform } }
              param { name: "fixed" lr_scale: 0 init { type: kConstant } } }
      layer { name: "loss" type: kSoftmaxLoss srclayers: "b" srclayers: "data" }
    } )",
                                                                   more),
                                                            &job));
  return job;
}

std::vector<std::string> InPieces(const JobProto& job) {
  const WorkerModel model(job, {}, nullptr);
  std::vector<std::string> names;
  for (size_t i = 0; i < model.trained().params.size(); ++i)
    if (model.trained().in_pieces[i]) names.push_back(model.trained().params[i]->name());
  return names;
}

// Workers of a group, of which none has all rows of "wide".
WorkerPlace Dividing(int worker, int workers) {
  return {.worker = worker, .workers = workers, .here = workers};
}

TEST(WorkerModelTest, ALargePartOfADividedParamGoesInPieces) {
  JobProto job = Job();
  job.mutable_neuralnet()->mutable_layer(1)->set_partition_dim(1);
  job.mutable_neuralnet()->mutable_layer(1)->mutable_innerproduct_conf()->set_num_output(1400);
  for (const int worker : {0, 1}) {
    const WorkerModel model(job, Dividing(worker, 2), nullptr);
    EXPECT_TRUE(model.trained().own[0]->is_part());
    EXPECT_TRUE(model.trained().in_pieces[0]);
    EXPECT_LT(model.Count(0, false).host.gradients, 700 * 500 * 4);
  }
}

TEST(WorkerModelTest, AllWorkersAgreeWhichPartsGoInPieces) {
  JobProto job = Job();
  job.mutable_neuralnet()->mutable_layer(1)->set_partition_dim(1);
  // The workers have 524 and 525 of 1049 rows, or 1,048,000 and 1,050,000 bytes. More than 1 MiB
  // goes in pieces.
  job.mutable_neuralnet()->mutable_layer(1)->mutable_innerproduct_conf()->set_num_output(1049);
  const bool first = WorkerModel(job, Dividing(0, 2), nullptr).trained().in_pieces[0];
  const bool second = WorkerModel(job, Dividing(1, 2), nullptr).trained().in_pieces[0];
  EXPECT_EQ(first, second);
}

TEST(WorkerModelTest, TheFirstWorkerAloneHasTheNetsOfOtherPhases) {
  const JobProto job = Job("test_freq: 10 validate_freq: 10 validate_steps: 1 test_steps: 1");
  const WorkerModel first(job, {.workers = 2, .groups = 2}, nullptr);
  EXPECT_NE(first.evaluator(kTest), nullptr);
  EXPECT_NE(first.evaluator(kVal), nullptr);
  EXPECT_EQ(first.nets().size(), 3u);
  for (const WorkerPlace& place : {WorkerPlace{.worker = 1, .workers = 2, .groups = 2},
                                   WorkerPlace{.workers = 2, .group = 1, .groups = 2}}) {
    const WorkerModel other(job, place, nullptr);
    EXPECT_EQ(other.evaluator(kTest), nullptr);
    EXPECT_EQ(other.evaluator(kVal), nullptr);
    EXPECT_EQ(other.nets(), std::vector<const Net*>{&other.net()});
  }
}

TEST(WorkerModelTest, HasOnlyTheNetsThatTheJobRuns) {
  const WorkerModel tested(Job("test_freq: 10 test_steps: 1"), {}, nullptr);
  EXPECT_NE(tested.evaluator(kTest), nullptr);
  EXPECT_EQ(tested.evaluator(kVal), nullptr);
  EXPECT_EQ(WorkerModel(Job(), {}, nullptr).nets().size(), 1u);
}

TEST(WorkerModelTest, AnEvaluationUsesTheThreadsOfTheWholeGroup) {
  const JobProto job = Job("test_freq: 10 test_steps: 1");
  const auto threads = [&](int cores) {
    const WorkerPlace place = {.threads = 2, .workers = 3, .cores = cores};
    return WorkerModel(job, place, nullptr).evaluation_threads();
  };
  EXPECT_EQ(threads(100), AllowedThreads(6));
  EXPECT_EQ(threads(5), AllowedThreads(5));
  EXPECT_EQ(threads(1), AllowedThreads(2)) << "a worker's own threads at least";
}

TEST(WorkerModelTest, HasItsPartOfTheBatch) {
  WorkerModel second(Job(), {.worker = 1, .workers = 3}, nullptr);
  EXPECT_EQ(second.net().batch(), 8);
  EXPECT_EQ(second.net().nodes()[0].out[0]->data.rows(), 3);
  EXPECT_EQ(second.ctx().threads, 1);
}

TEST(WorkerModelTest, LargeGradientsGoInPiecesUnlessTheWholeIsNeeded) {
  EXPECT_EQ(InPieces(Job()), std::vector<std::string>{"wide"});
  EXPECT_TRUE(InPieces(Job("debug: true")).empty());
  EXPECT_TRUE(InPieces(Job("on_nonfinite: kSkip")).empty());
  EXPECT_TRUE(InPieces(Job("gpu: 0")).empty()) << "another worker of the group may have it";
}

TEST(WorkerModelTest, CountsItsGradientsAndTheGroupsValuesOnce) {
  const JobProto job = Job("debug: true");  // whole gradients
  const WorkerModel first(job, {.workers = 2}, nullptr);
  const WorkerModel second(job, {.worker = 1, .workers = 2}, nullptr);
  const int64_t trained = (kWide + kNarrow) * 4, fixed = 3 * 4;
  const MemoryUse of_first = first.Count(2, false).host, of_second = second.Count(2, false).host;
  EXPECT_EQ(of_first.params, trained + fixed);
  EXPECT_EQ(of_second.params, fixed);
  EXPECT_EQ(of_first.gradients, trained);
  EXPECT_EQ(of_second.gradients, trained);
  EXPECT_EQ(of_first.updater, 2 * trained);
  EXPECT_EQ(of_second.updater, 0);
  EXPECT_EQ(first.Count(2, false).gpus.total(), 0);
}

TEST(WorkerModelTest, OfProcessesThatShareMemoryTheFirstCountsTheValues) {
  const auto params = [job = Job()](int worker) {
    const WorkerPlace place = {
        .worker = worker, .workers = 2, .first = worker, .shares_host = true};
    return WorkerModel(job, place, nullptr).Count(0, false).host.params;
  };
  const int64_t trained = (kWide + kNarrow) * 4, fixed = 3 * 4;
  EXPECT_EQ(params(0), trained + fixed);
  EXPECT_EQ(params(1), fixed);
}

TEST(WorkerModelTest, UsesTheTrainedValuesOfTheLead) {
  const JobProto job = Job();
  WorkerModel lead(job, {.workers = 2}, nullptr), other(job, {.worker = 1, .workers = 2}, nullptr);
  lead.AllocateValues(nullptr, nullptr);
  other.AllocateValues(nullptr, &lead);
  const auto same = [&](const char* name) {
    return other.params().Find(name)->data.data() == lead.params().Find(name)->data.data();
  };
  EXPECT_TRUE(same("wide"));
  EXPECT_TRUE(same("narrow"));
  EXPECT_FALSE(same("fixed"));
}

TEST(WorkerModelTest, BindsWhatItTrainsToMemoryOfTheGroup) {
  WorkerModel second(Job(), {.worker = 1, .workers = 2, .shares_host = true}, nullptr);
  const SliceTable& table = second.trained().table;
  std::vector<float> memory(static_cast<size_t>(GroupMemory(table, 2, 0, nullptr, 0).bytes()) / 4 +
                            16);
  const auto address = (reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64;
  const GroupMemory shared(table, 2, 0, reinterpret_cast<std::byte*>(address), 1);
  second.AllocateValues(&shared, nullptr);
  for (int i = 0; i < 2; ++i) {
    const Param& param = *second.trained().params[i];
    EXPECT_EQ(param.data.data(), shared.values(i)) << param.name();
    if (param.name() == "narrow")
      EXPECT_EQ(param.grad.data(), shared.gradient(1, i));
    else
      EXPECT_TRUE(param.grad.empty()) << "it goes in pieces";
  }
  EXPECT_FALSE(second.params().Find("fixed")->data.empty());
}

// Three workers divide the 700 units of "a": worker 1 has rows 233 to 465 of "wide".
JobProto DividedJob() {
  JobProto job = Job();
  job.mutable_neuralnet()->mutable_layer(1)->set_partition_dim(1);
  return job;
}
constexpr WorkerPlace kSecondOfThree = {.worker = 1, .workers = 3, .here = 3};

// Memory for the pieces that all workers compute is not there if each computes its own pieces.
TEST(WorkerModelTest, CountsRegionsAndPiecesOfProcessesThatShareMemory) {
  WorkerPlace place = kSecondOfThree;
  const MemoryUse of_threads = WorkerModel(DividedJob(), place, nullptr).Count(0, false).host;
  place.first = 1;
  place.here = 1;
  place.shares_host = true;
  const MemoryUse of_processes = WorkerModel(DividedJob(), place, nullptr).Count(0, false).host;
  EXPECT_GT(of_processes.forever, of_threads.forever);
  JobProto rows = DividedJob();
  for (LayerProto& layer : *rows.mutable_neuralnet()->mutable_layer()) layer.clear_partition_dim();
  const MemoryUse by_rows = WorkerModel(rows, place, nullptr).Count(0, false).host;
  EXPECT_GT(by_rows.gradients, of_processes.gradients);
}

TEST(WorkerModelTest, ComputesWithItsPartOfADividedParam) {
  WorkerModel model(DividedJob(), kSecondOfThree, nullptr);
  const Param& own = *model.trained().own[0];
  EXPECT_EQ(own.name(), "wide");
  EXPECT_EQ(own.shape(), Shape({233, 500}));
  EXPECT_EQ(own.first_row(), 233);
  EXPECT_EQ(model.trained().params[0]->shape(), Shape({700, 500}));
  EXPECT_EQ(model.params().Find("wide"), model.trained().params[0]) << "others see the whole";
}

TEST(WorkerModelTest, APartLiesInTheValuesOfTheWhole) {
  WorkerModel model(DividedJob(), kSecondOfThree, nullptr);
  model.AllocateValues(nullptr, nullptr);
  EXPECT_EQ(model.trained().own[0]->data.data(),
            model.params().Find("wide")->data.data() + 233 * 500);
  EXPECT_EQ(model.trained().own[1]->data.data(), model.params().Find("narrow")->data.data());
}

TEST(WorkerModelTest, APartLiesInTheValuesOfTheLead) {
  WorkerModel lead(DividedJob(), {.workers = 3, .here = 3}, nullptr);
  WorkerModel second(DividedJob(), kSecondOfThree, nullptr);
  lead.AllocateValues(nullptr, nullptr);
  second.AllocateValues(nullptr, &lead);
  EXPECT_EQ(second.trained().own[0]->data.data(),
            lead.params().Find("wide")->data.data() + 233 * 500);
}

TEST(WorkerModelTest, ThePartOfALargeGradientGoesWhole) {
  const WorkerModel model(DividedJob(), kSecondOfThree, nullptr);
  EXPECT_EQ(model.trained().in_pieces, std::vector<bool>({false, false}));
}

TEST(WorkerModelTest, EachSliceOfADividedParamHasItsOwner) {
  const WorkerModel model(DividedJob(), kSecondOfThree, nullptr);
  const SliceTable& table = model.trained().table;
  const auto [first, last] = table.OfParam(0);
  for (int slice = first; slice < last; ++slice) {
    const int64_t row = table[slice].begin / 500;
    EXPECT_EQ(table[slice].by, (Contributors{row < 233 ? 0 : row < 466 ? 1 : 2, 3, 1})) << row;
  }
  EXPECT_TRUE(table[table.OfParam(1).first].by.all()) << "each worker has the whole";
}

TEST(WorkerModelTest, AParamOfALayerThatAllComputeIsTheFirstWorkers) {
  JobProto job = DividedJob();
  for (LayerProto& layer : *job.mutable_neuralnet()->mutable_layer()) {
    if (layer.partition_dim() != 1) continue;
    layer.clear_partition_dim();
    layer.mutable_partition_grid();
  }
  const WorkerModel model(job, kSecondOfThree, nullptr);
  EXPECT_EQ(model.trained().table[0].by, (Contributors{0, 1, 1}));
  EXPECT_EQ(model.trained().own[0]->shape(), model.trained().params[0]->shape());
}

TEST(WorkerModelTest, NamesTheAlgorithmThatIsNotKnown) {
  JobProto job = Job();
  job.mutable_train_one_batch()->set_user_alg("none");
  try {
    const WorkerModel model(job, {}, nullptr);
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.path(), "train_one_batch.user_alg");
  }
}

}  // namespace
}  // namespace singa::worker_model
