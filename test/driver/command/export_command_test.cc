// Tests the command around the export. ../onnx tests the models.
#include "driver/command/export_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "io/metrics/record_frames.h"
#include "io/temp_dir.h"
#include "io/write_tensors.h"
#include "onnx/onnx.pb.h"
#include "singa/proto/tensorboard.pb.h"
#include "support/driver/captured_command.h"
#include "support/driver/small_job.h"

namespace singa::export_command {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

class ExportCommandTest : public testing::Test {
 protected:
  static CapturedCommand Export(const Words& words) {
    return CapturedCommand([&] { return ExportCommand(words); });
  }
  // Writes params with these names. Returns the file.
  std::string Params(const Words& names) const {
    std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<StoredTensor> tensors;
    for (const std::string& name : names)
      tensors.push_back(Stored(name, name == "b" ? Shape({2}) : Shape({2, 4}), values.data()));
    const std::string path = dir_.Path("params.safetensors");
    WriteTensors(path, tensors);
    return path;
  }

  const TempDir dir_;
  const std::string conf_ =
      dir_.Write("job.conf", SmallJob(dir_.Path("ws"), "train_steps: 1").DebugString());
  const std::string out_ = dir_.Path("net.onnx");
};

TEST_F(ExportCommandTest, WritesTheScoresAndTheirSoftmax) {
  const CapturedCommand run =
      Export({"onnx", "-conf", conf_, "-checkpoint", Params({"w", "b"}), out_});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("net.onnx: "));
  EXPECT_THAT(run.err, HasSubstr("10 numbers in weights; data (N, 4) -> fc (N, 2), loss (N, 2)\n"));
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(TempDir::Read(out_)));
  EXPECT_EQ(model.graph().name(), "small");
  EXPECT_EQ(model.graph().output_size(), 2);
}

TEST_F(ExportCommandTest, WritesOneLayer) {
  const CapturedCommand run =
      Export({"onnx", "-conf", conf_, "-checkpoint", Params({"w", "b"}), "-layer", "fc", out_});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr("-> fc (N, 2)\n"));
}

TEST_F(ExportCommandTest, ParamsThatTheGraphNeedsAreInTheFile) {
  const std::string params = Params({"w"});
  const CapturedCommand run = Export({"onnx", "-conf", conf_, "-checkpoint", params, out_});
  EXPECT_EQ(run.code, kExitBadData);
  EXPECT_THAT(run.err, HasSubstr(params + ": has no value for these params: b"));
  EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(ExportCommandTest, AMissingCheckpointIsNamed) {
  EXPECT_EQ(Export({"onnx", "-conf", conf_, "-checkpoint", "/none", out_}).code, kExitNoInput);
  EXPECT_EQ(Export({"onnx", "-conf", conf_, out_}).code, kExitNoInput);  // in the workspace
}

TEST_F(ExportCommandTest, WordsThatAreMissingOrWrongAreNamed) {
  const std::pair<Words, std::string> wrong[] = {
      {{},
       "the format and the file to write are missing: singa export onnx -conf job.conf net.onnx"},
      {{"onnx"}, "the file to write is missing: singa export onnx -conf job.conf net.onnx"},
      {{"tensorboard"}, "the workspace is missing: singa export tensorboard WORKSPACE"},
      {{"tensorboard", "-layer", "a", "w"}, "-layer is for onnx"},
      {{"tensorboard", "a", "b", "c"}, "writes to one folder, the second is c"},
      {{"torch", "a"}, "the format must be onnx or tensorboard, is torch"},
      {{"onnx", "a.onnx"},
       "-conf, the job whose net it writes, is missing: singa export onnx -conf "
       "job.conf a.onnx"},
      {{"onnx", "-conf", "c", "a.onnx", "b"}, "writes one file, the second is b"},
      {{"onnx", "-conf", "c", "a.pb"}, "the file to write must end with .onnx, is a.pb"}};
  for (const auto& [words, text] : wrong) {
    const CapturedCommand run = Export(words);
    EXPECT_EQ(run.code, kExitUsage) << text;
    EXPECT_THAT(run.err, HasSubstr(text));
  }
}

TEST_F(ExportCommandTest, RowsBecomeEventsForTensorBoard) {
  dir_.Write("metrics.jsonl",
             "# a note\n"
             R"({"time":3.5,"phase":"train","step":7,"group":0,"layer":"a","loss":0.5,)"
             R"("samples_per_second":9,"lr":"nan"})"
             "\n"
             R"({"time":4,"phase":"train","step":7,"group":0,"layer":"b","loss":2,)"
             R"("samples_per_second":9,"lr":"nan"})"
             "\n{\"time\":5");
  const CapturedCommand run = Export({"tensorboard", dir_.path(), dir_.Path("events")});
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_THAT(run.err, HasSubstr(".singa: 4 scalars\n"));
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(dir_.Path("events")))
    path = entry.path().string();
  const InputFile file = InputFile::Open(path);
  FrameReader reader(&file);
  std::string record;
  tensorboard::Event event;
  ASSERT_TRUE(reader.Next(&record) && event.ParseFromString(record));
  EXPECT_EQ(event.file_version(), "brain.Event:2");
  ASSERT_TRUE(reader.Next(&record) && event.ParseFromString(record));
  EXPECT_EQ(event.wall_time(), 3.5);
  EXPECT_EQ(event.step(), 7);
  EXPECT_EQ(event.summary().value(0).tag(), "train/loss/a");
  EXPECT_EQ(event.summary().value(0).simple_value(), 0.5f);
  EXPECT_EQ(event.summary().value(1).tag(), "train/samples_per_second");
  ASSERT_TRUE(reader.Next(&record) && event.ParseFromString(record));
  ASSERT_EQ(event.summary().value_size(), 1);
  EXPECT_EQ(event.summary().value(0).tag(), "train/loss/b");
  EXPECT_FALSE(reader.Next(&record));
}

TEST_F(ExportCommandTest, EventsNeedRowsAndAFolderOfTheirOwn) {
  EXPECT_EQ(Export({"tensorboard", dir_.Path("none")}).code, kExitNoInput);
  dir_.Write("metrics.jsonl", "# a note\n");
  EXPECT_EQ(Export({"tensorboard", dir_.path()}).code, kExitBadData);
  dir_.Write("events.out.tfevents.1.host", "");
  const CapturedCommand run = Export({"tensorboard", dir_.path()});
  EXPECT_EQ(run.code, kExitCantCreate);
  EXPECT_THAT(run.err, HasSubstr("events.out.tfevents.1.host: exists already"));
}

}  // namespace
}  // namespace singa::export_command
