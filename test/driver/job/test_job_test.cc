// Tests `-test` of one process. ../device_job_test.cc tests it on a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "driver/job/run_job.h"
#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "support/driver/small_job.h"

namespace singa::test_job {
namespace {

using testing::HasSubstr;

class TestJobTest : public testing::Test {
 protected:
  // Runs the test, and returns what it says.
  std::string Test(const std::string& settings) {
    const JobProto job = SmallJob(dir_.Path("ws"), settings);
    Progress progress;
    testing::internal::CaptureStderr();
    std::exception_ptr error;
    try {
      EXPECT_EQ(TestJob(job, OneThread(), &progress), kExitOk);
    } catch (...) {
      error = std::current_exception();
    }
    const std::string said = testing::internal::GetCapturedStderr();
    if (error) std::rethrow_exception(error);
    return said;
  }
  // Writes params. Returns the setting that names the file.
  std::string Params(std::vector<float> w, bool with_bias = true) const {
    std::vector<float> b = {0, 0};
    std::vector<StoredTensor> tensors = {Stored("w", {2, 4}, w.data())};
    if (with_bias) tensors.push_back(Stored("b", {2}, b.data()));
    const std::string path = dir_.Path("params.safetensors");
    WriteTensors(path, tensors);
    return "checkpoint_path: '" + path + "' ";
  }
  nlohmann::json Row() const {
    return nlohmann::json::parse(TempDir::Read(dir_.Path("ws/metrics.jsonl")));
  }

  const TempDir dir_;
  const std::vector<float> zeros_ = std::vector<float>(8, 0);
};

TEST_F(TestJobTest, WritesOneRow) {
  const std::string said = Test(Params(zeros_) + "test_steps: 2");
  const nlohmann::json row = Row();
  EXPECT_EQ(row["phase"], "test");
  EXPECT_EQ(row["layer"], "loss");
  EXPECT_NEAR(row["loss"].get<double>(), std::log(2), 1e-6);
  EXPECT_THAT(said, HasSubstr("params from " + dir_.Path("params.safetensors")));
  EXPECT_EQ(said.find("warning"), std::string::npos) << said;
  EXPECT_TRUE(std::filesystem::exists(dir_.Path("ws/visualization/test_net.dot")));
}

TEST_F(TestJobTest, WarnsOfValuesThatNoFileGives) {
  EXPECT_THAT(Test(Params(zeros_, false)),
              HasSubstr("warning: 1 param is in no file and got initial values: b\n"));
}

TEST_F(TestJobTest, ListsAllParamsThatOnlyTheFilesOrOnlyTheNetHave) {
  const std::string path = dir_.Path("other.safetensors");
  WriteTensors(path, {Stored("w", {2, 4}, zeros_.data()), Stored("old.a", {1}, zeros_.data()),
                      Stored("old.b", {1}, zeros_.data())});
  const std::string said = Test("checkpoint_path: '" + path +
                                "' neuralnet { layer { name: 'more' type: kInnerProduct "
                                "srclayers: 'fc' innerproduct_conf { num_output: 2 } } }");
  EXPECT_THAT(said, HasSubstr("3 params are in no file and got initial values: b, more_0, "
                              "more_1\n"));
  EXPECT_THAT(said, HasSubstr("params of the files that the net lacks: old.a, old.b\n"));
}

TEST_F(TestJobTest, WarnsOfCheckpointsThatItDoesNotTest) {
  const std::string settings = Params(zeros_), own = dir_.Path("ws/checkpoint/step3");
  std::filesystem::create_directories(own);
  std::filesystem::copy_file(dir_.Path("params.safetensors"), own + "/model.safetensors");
  EXPECT_THAT(Test(settings), HasSubstr("warning: the checkpoints in " + dir_.Path("ws") +
                                        " are not tested, as checkpoint_path names other files"));
  EXPECT_THAT(Test("checkpoint_path: '" + own + "/model.safetensors'"),
              testing::Not(HasSubstr("are not tested")));
}

TEST_F(TestJobTest, NeedsTrainedValues) {
  EXPECT_ERROR(Test(""), kExitNoInput, "");
  EXPECT_ERROR(Test("checkpoint_path: '/none'"), kExitNoInput, "/none");
}

TEST_F(TestJobTest, ScoresThatAreNotFiniteAreAnError) {
  const std::vector<float> w(8, std::numeric_limits<float>::max());
  EXPECT_ERROR(Test(Params(w)), kExitDiverged, "");
  EXPECT_EQ(Row()["phase"], "test");
}

TEST_F(TestJobTest, SaysHowManyRecordsAnOutputLayerWrote) {
  const std::string out = dir_.Path("scores.csv");
  const std::string said = Test(Params(zeros_) +
                                "test_steps: 2 neuralnet { layer { name: 'out' type: kCSVOutput "
                                "srclayers: 'fc' store_conf { path: '" +
                                out + "' } } }");
  EXPECT_THAT(said, HasSubstr("wrote 8 records to " + out + "\n"));
  const std::string lines = TempDir::Read(out);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 8);
}

TEST_F(TestJobTest, TakesTheValuesOfTheWorkspace) {
  Progress progress;
  testing::internal::CaptureStderr();
  TrainJob(SmallJob(dir_.Path("ws"), "train_steps: 3"), OneThread(), &progress);
  testing::internal::GetCapturedStderr();
  std::filesystem::remove(dir_.Path("ws/metrics.jsonl"));
  EXPECT_THAT(Test(""), HasSubstr("params from " + dir_.Path("ws/checkpoint/step3")));
  EXPECT_EQ(Row()["step"], 3);
}

TEST_F(TestJobTest, RecordsThatAreBadAreSkippedAndCounted) {
  const std::string csv = dir_.Write("records.csv", "0,1,2,3,4\n1,x,2,3,4\n1,1,2,3,5\n");
  JobProto job = SmallJob(dir_.Path("ws"), Params(zeros_));
  LayerProto* const data = job.mutable_neuralnet()->mutable_layer(0);
  data->set_type(kCSVInput);
  data->mutable_store_conf()->Clear();
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      StrCat("path: '", csv, "' backend: 'textfile' batchsize: 3 shape: 4 on_bad_record: kSkip"),
      data->mutable_store_conf()));
  Progress progress;
  testing::internal::CaptureStderr();
  EXPECT_EQ(TestJob(job, OneThread(), &progress), kExitOk);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("1 bad record skipped\n"));
  EXPECT_EQ(Row()["bad_records"], 1);
}

}  // namespace
}  // namespace singa::test_job
