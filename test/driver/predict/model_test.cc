#include "singa/driver/model.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <set>
#include <thread>

#include "base/file/file_system.h"
#include "io/store/store_writer.h"
#include "io/store_files.h"
#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "support/expect_close.h"
#include "train/state/init_params.h"
#include "train/trainer/evaluator.h"
#include "train/trainer/forwarder.h"

namespace singa {
namespace {

constexpr int64_t kRecords = 23, kPixels = 3 * 6 * 6;

// Returns a CNN on colour pictures. It has every part that works differently in tests and in
// training.
std::string NetText(const std::string& csv, const std::string& mean) {
  return StrCat(R"(
    layer { name: "data" type: kCSVInput store_conf { path: ")",
                csv, R"(" batchsize: 5 shape: 3 shape: 6 shape: 6 mean_value: 2 std_value: 3 } }
    layer { name: "cut" type: kImagePreprocess srclayers: "data"
            rgbimage_conf { cropsize: 4 scale: 0.5 mirror: true meanfile: ")",
                mean, R"(" } }
    layer { name: "conv" type: kConvolution srclayers: "cut"
            convolution_conf { num_filters: 4 kernel: 3 pad: 1 }
            param { name: "w1" init { type: kUniform } } param { name: "b1" init { type: kUniform } } }
    layer { name: "bn" type: kBM srclayers: "conv" param { name: "g" } param { name: "o" }
            param { name: "m" } param { name: "v" } }
    layer { name: "pool" type: kPooling srclayers: "bn" pooling_conf { pool: MAX kernel: 2 stride: 2 } }
    layer { name: "drop" type: kDropout srclayers: "pool" }
    layer { name: "fc" type: kInnerProduct srclayers: "drop" innerproduct_conf { num_output: 3 }
            param { name: "w2" init { type: kUniform } } param { name: "b2" init { type: kUniform } } }
    layer { name: "loss" type: kSoftmaxLoss srclayers: "fc" srclayers: "data" }
    layer { name: "right" type: kAccuracy srclayers: "fc" srclayers: "data" })");
}

std::string JobText(const std::string& net) {
  return "name: \"m\" train_one_batch { alg: kBP } neuralnet {" + net + "}";
}

class ModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string lines;
    for (int r = 0; r < kRecords; ++r) {
      lines += std::to_string(r % 3);
      for (int i = 0; i < kPixels; ++i) {
        rows_.push_back(static_cast<float>((i * 7 + r * 5) % 11));
        lines += "," + std::to_string((i * 7 + r * 5) % 11);
      }
      lines += "\n";
    }
    std::vector<float> mean;
    for (int i = 0; i < kPixels; ++i) mean.push_back(0.01f * static_cast<float>(i));
    net_ = NetText(dir_.Write("records.csv", lines), dir_.Write("mean", Tuple("0", Floats(mean))));
    conf_ = dir_.Write("job.conf", JobText(net_));
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(JobText(net_), &job_));
    checkpoint_ = WriteParams("");
  }

  // Writes values by name. `left_out`: a param that the file lacks.
  std::string WriteParams(const std::string& left_out) {
    return Write("params" + left_out, [&](const std::string& name) { return name != left_out; });
  }

  void WriteTwoFiles() {
    const std::set<std::string> upper = {"w2", "b2"};
    for (bool up : {true, false})
      job_.add_checkpoint_path(Write(up ? "upper" : "lower", [&](const std::string& name) {
        return up == (upper.count(name) > 0);
      }));
  }

  std::string Write(const std::string& file, const std::function<bool(const std::string&)>& holds) {
    Forwarder net(job_, {});
    std::vector<std::vector<float>> values;
    std::vector<StoredTensor> tensors;
    for (const auto& param : net.params().params()) {
      if (!holds(param->name())) continue;
      const Philox random{3, HashName(param->name()), 0};
      std::vector<float>& numbers = values.emplace_back();
      for (int64_t i = 0; i < param->size(); ++i)
        numbers.push_back(random.Uniform(static_cast<uint64_t>(i)) + 0.1f);
      tensors.push_back(Stored(param->name(), param->shape(), numbers.data()));
    }
    const std::string path = dir_.Path(file + ".safetensors");
    WriteTensors(path, tensors);
    return path;
  }

  // Returns the probabilities that a test computes for the first `batches` batches of 5.
  std::vector<float> Tested(int batches) {
    StepState state;
    Context ctx;
    ctx.state = &state;
    const auto algorithm = MakeAlgorithm(job_.train_one_batch());
    ParamTable params;
    Evaluator evaluator(job_, kTest, &params, algorithm.get(), &ctx);
    for (const auto& param : params.params()) param->data = Tensor::Allocate(param->shape());
    LoadParamFiles({checkpoint_}, params);
    evaluator.Open(NetArena::Allocate(ctx, evaluator.memory()));
    std::vector<float> all;
    for (int i = 0; i < batches; ++i) {
      algorithm->TestOneBatch(ctx, evaluator.net());
      const Tensor& y = evaluator.net().Find("loss")->out[0]->data;
      all.insert(all.end(), y.data(), y.data() + y.size());
    }
    return all;
  }

  Model Opened() const { return Model(conf_, {.checkpoint = checkpoint_}); }

  TempDir dir_;
  std::string net_, conf_, checkpoint_;
  JobProto job_;
  std::vector<float> rows_;
};

// Batches of another size may add up in another order: 1e-6 sqrt(k) for sums of k = 27 terms.
TEST_F(ModelTest, SaysWhatGoesInAndOut) {
  const Model model = Opened();
  EXPECT_EQ(model.layer(), "loss");
  EXPECT_EQ(model.input_shape(), (std::vector<int64_t>{3, 6, 6}));
  EXPECT_EQ(model.output_shape(), std::vector<int64_t>{3});
  EXPECT_EQ(model.batch(), 5);
  EXPECT_TRUE(model.classifies());
  const Model pooled(job_, {.checkpoint = checkpoint_, .layer = "pool"});
  EXPECT_EQ(pooled.output_shape(), (std::vector<int64_t>{4, 2, 2}));
  EXPECT_FALSE(pooled.classifies());
}

TEST_F(ModelTest, ComputesWhatATestDoes) {
  Session session(Opened());
  EXPECT_EQ(session.Run({rows_.data(), 20 * kPixels}), Tested(4));
}

TEST_F(ModelTest, CutsAnyNumberOfRows) {
  const Model model = Opened();
  const std::vector<float> all = Session(model, {.max_batch = kRecords}).Run(rows_);
  for (int64_t batch : {1, 3, 8, 16, 100}) {
    Session session(model, {.max_batch = batch});
    ExpectClose(session.Run(rows_), all, 5e-6);
  }
  Session session(model);
  for (int64_t n : {7, 0, 1, 23, 4}) {
    const std::vector<float> some = session.Run({rows_.data(), size_t(n * kPixels)});
    ExpectClose(some, {all.begin(), all.begin() + n * 3}, 5e-6);
  }
}

TEST_F(ModelTest, GivesFeaturesInLogicalOrder) {
  // The expected numbers are computed by hand from rows (x - 2) / 3: minus the mean image, the
  // centre 4 x 4 of each channel, times 1/2.
  const Model model(job_, {.checkpoint = checkpoint_, .layer = "cut"});
  const std::vector<float> cut = Session(model).Run({rows_.data(), size_t(kPixels)});
  ASSERT_EQ(cut.size(), 3u * 4 * 4);
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) {
        const int from = (c * 6 + y + 1) * 6 + x + 1;
        const float expected = 0.5f * ((rows_[from] - 2) / 3 - 0.01f * static_cast<float>(from));
        EXPECT_NEAR(cut[(c * 4 + y) * 4 + x], expected, 1e-6);
      }
}

TEST_F(ModelTest, ThreadsShareOneModel) {
  const Model model = Opened();
  const std::vector<float> expected = Session(model).Run(rows_);
  std::vector<int> wrong(8);
  std::vector<std::thread> threads;
  for (int& count : wrong)
    threads.emplace_back([&] {
      Session session(model, {.threads = 1 + static_cast<int>(&count - wrong.data()) % 2});
      std::vector<float> out(expected.size());
      for (int i = 0; i < 50; ++i) {
        session.Run(rows_, out);
        for (size_t k = 0; k < out.size(); ++k) count += std::abs(out[k] - expected[k]) > 1e-6f;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST_F(ModelTest, ASessionOutlivesItsModel) {
  auto model = std::make_unique<Model>(Opened());
  Session session(*model);
  const std::vector<float> before = session.Run(rows_);
  model.reset();
  EXPECT_EQ(session.Run(rows_), before);
}

TEST_F(ModelTest, RefusesWhatIsNoNumberOfRows) {
  Session session(Opened());
  std::vector<float> out(2);
  EXPECT_ERROR(session.Run({rows_.data(), 100}), kExitUsage, "100 numbers are no whole number");
  EXPECT_ERROR(session.Run(rows_, out), kExitUsage, "23 rows give 69 numbers");
  EXPECT_ERROR(Session(Opened(), {.threads = 0}), kExitUsage, "threads");
  EXPECT_ERROR(Session(Opened(), {.threads = 1025}), kExitUsage, "from 1 to 1024");
  EXPECT_ERROR(Session(Opened(), {.max_batch = -1}), kExitUsage, "max_batch");
}

TEST_F(ModelTest, NamesThePlaceOfAMistake) {
  const std::string bad = dir_.Write("bad.conf", JobText(net_) + "\nsteps: 1");
  EXPECT_ERROR(Model(bad, {.checkpoint = checkpoint_}), kExitConfig, "bad.conf:", "steps");
  EXPECT_ERROR(Model(conf_, {.checkpoint = checkpoint_, .sets = {"layer=1"}}), kExitConfig, "-set");
  EXPECT_ERROR(Model(conf_, {.checkpoint = checkpoint_, .layer = "cov"}), kExitUsage,
               "did you mean \"conv\"?");
  job_.mutable_neuralnet()->mutable_layer(6)->mutable_innerproduct_conf()->set_num_output(-1);
  EXPECT_ERROR(Model(job_, {.checkpoint = checkpoint_}), kExitConfig, "num_output");
}

TEST_F(ModelTest, NeedsEveryParam) {
  EXPECT_ERROR(Model(conf_, {.checkpoint = WriteParams("v")}), kExitBadData, "lacks 1", "\"v\"");
  EXPECT_NO_THROW(Model(conf_, {.checkpoint = WriteParams("w2"), .layer = "pool"}));
}

TEST_F(ModelTest, TakesParamsFromSeveralFiles) {
  WriteTwoFiles();
  EXPECT_EQ(Session(Model(job_)).Run(rows_), Session(Opened()).Run(rows_));
  const Model cut(job_, {.layer = "pool"}),
      whole(job_, {.checkpoint = checkpoint_, .layer = "pool"});
  EXPECT_EQ(Session(cut).Run(rows_), Session(whole).Run(rows_));
  EXPECT_ERROR(Model(job_, {.checkpoint = dir_.Path("upper.safetensors"), .layer = "pool"}),
               kExitConfig, "upper.safetensors\" is one of the net's");
}

TEST_F(ModelTest, NamesTheFileThatDoesNotFit) {
  WriteTwoFiles();
  job_.mutable_neuralnet()->mutable_layer(6)->mutable_innerproduct_conf()->set_num_output(4);
  EXPECT_ERROR(Model{job_}, kExitConfig, "the checkpoint does not fit the net: param",
               "upper.safe");
}

TEST_F(ModelTest, NeedsACheckpointThatFits) {
  EXPECT_ERROR(Model(conf_, {.checkpoint = checkpoint_,
                             .sets = {"neuralnet.layer[fc].innerproduct_conf.num_output=4"}}),
               kExitConfig, checkpoint_, "does not fit the net", "b2");
  EXPECT_ERROR(Model(conf_, {.checkpoint = dir_.Path("none")}), kExitNoInput, "none");
  EXPECT_ERROR(Model(conf_, {.sets = {"cluster.workspace=" + dir_.Path("ws")}}), kExitNoInput,
               "no checkpoint");
  EXPECT_ERROR(Model(conf_, {.checkpoint = dir_.Write("torn.safetensors", "12345678{")}),
               kExitBadData, "torn");
}

TEST_F(ModelTest, NeedsTheMeanFileForANumberOfRowsThatIsNew) {
  Session session(Opened());
  const std::span<const float> five(rows_.data(), 5 * kPixels), seven(rows_.data(), 7 * kPixels);
  const std::vector<float> before = session.Run(five);
  ASSERT_EQ(std::remove(dir_.Path("mean").c_str()), 0);
  EXPECT_ERROR(session.Run(seven), kExitNoInput, "mean");
  EXPECT_ERROR(session.Run(seven), kExitNoInput, "mean");
  EXPECT_EQ(session.Run(five), before);
}

TEST_F(ModelTest, NeedsWhatTheLossReads) {
  job_.mutable_neuralnet()->mutable_layer(7)->clear_srclayers();
  EXPECT_ERROR(Model(job_, {.checkpoint = checkpoint_}), kExitConfig, "no input layer");
}

TEST_F(ModelTest, TakesTheBatchOfAnOldDataLayer) {
  PosixFileSystem files;
  const std::vector<uint8_t> pixel(kPixels);
  const auto writer =
      NewStoreWriter("lmdb", {.path = dir_.Path("lmdb"), .shape = {3, 6, 6}, .records = 1}, &files);
  writer->Write({.pixel = pixel, .label = 1});
  writer->Finish();
  JobProto job;
  LayerProto* data = job.mutable_neuralnet()->add_layer();
  data->set_name("data");
  data->set_type(kLMDBData);
  data->mutable_lmdbdata_conf()->set_path(dir_.Path("lmdb"));
  data->mutable_lmdbdata_conf()->set_batchsize(7);
  job.mutable_train_one_batch()->set_alg(kBP);
  EXPECT_EQ(Model(job, {.checkpoint = checkpoint_, .layer = "data"}).batch(), 7);
}

TEST_F(ModelTest, OpensNoStore) {
  job_.mutable_neuralnet()->mutable_layer(0)->mutable_store_conf()->set_path("gone");
  EXPECT_EQ(Session(Model(job_, {.checkpoint = checkpoint_})).Run(rows_),
            Session(Opened()).Run(rows_));
}

}  // namespace
}  // namespace singa
