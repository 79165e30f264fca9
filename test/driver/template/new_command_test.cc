#include "driver/template/new_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "io/temp_dir.h"
#include "support/driver/captured_command.h"

namespace singa::new_command_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class NewCommandTest : public testing::Test {
 protected:
  CapturedCommand New(const std::string& name) const {
    return CapturedCommand([&] { return NewCommand({"layer", name, dir_.Path("new")}); });
  }
  std::set<std::string> Files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.Path("new")))
      names.insert(entry.path().filename().string());
    return names;
  }
  std::string Text(const std::string& file) const {
    return TempDir::Read(dir_.Path("new/" + file));
  }

  const TempDir dir_;
};

TEST_F(NewCommandTest, WritesAProjectUnderTheLayersName) {
  const CapturedCommand run = New("GateUnit");
  EXPECT_EQ(run.code, kExitOk) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("new: 7 files; README.md says how to build, check and train\n"));
  EXPECT_EQ(Files(), (std::set<std::string>{"CMakeLists.txt", "README.md", "gate_unit_layer.cc",
                                            "gate_unit_layer.cu", "gate_unit_layer.h",
                                            "gate_unit_layer.proto", "job.conf"}));
  EXPECT_THAT(Text("gate_unit_layer.cc"),
              HasSubstr("SINGA_REGISTER_LAYER(GateUnit, GateUnitLayer);"));
  EXPECT_THAT(Text("gate_unit_layer.proto"), HasSubstr("message GateUnitProto {"));
  EXPECT_THAT(Text("job.conf"), HasSubstr("user_type: \"GateUnit\""));
  for (const std::string& file : Files()) {
    EXPECT_THAT(Text(file), HasSubstr("GateUnit")) << file;
    EXPECT_THAT(Text(file), Not(testing::ContainsRegex("@[A-Z]"))) << file;
  }
}

TEST_F(NewCommandTest, NamesFilesAndTypesByTheWordsOfTheName) {
  const std::pair<const char*, const char*> kCases[] = {{"Gate", "gate Gate"},
                                                        {"GateLayer", "gate Gate"},
                                                        {"gate_unit", "gate_unit GateUnit"},
                                                        {"MyRNN2", "my_rnn2 MyRnn2"},
                                                        {"HTTPGate", "http_gate HttpGate"},
                                                        {"a__b_", "a_b AB"},
                                                        {"Layer", "layer Layer"},
                                                        {"Float", "float Float"}};
  for (const auto& [name, expected] : kCases) {
    SCOPED_TRACE(name);
    std::filesystem::remove_all(dir_.Path("new"));
    ASSERT_EQ(New(name).code, kExitOk);
    const std::string words = expected, file = words.substr(0, words.find(' '));
    const std::string type = words.substr(words.find(' ') + 1);
    const std::string source = Text(file + "_layer.cc");
    EXPECT_THAT(source, HasSubstr("class " + type + "Layer final"));
    EXPECT_THAT(source, HasSubstr(StrCat("SINGA_REGISTER_LAYER(", name, ", ", type, "Layer)")));
    EXPECT_THAT(Text("CMakeLists.txt"), HasSubstr("project(" + file + "_layer LANGUAGES"));
  }
}

TEST_F(NewCommandTest, RefusesANameThatIsNoName) {
  for (const char* name : {"", "2Gate", "_gate", "my-gate", "a.b", "../gate", "Gate\n", "Gäte"}) {
    const CapturedCommand run = New(name);
    EXPECT_EQ(run.code, kExitUsage) << name;
    EXPECT_THAT(run.err, HasSubstr("must have letters, digits and _, a letter first")) << name;
  }
  EXPECT_EQ(New(std::string(61, 'a')).code, kExitUsage);
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("new")));
}

TEST_F(NewCommandTest, RefusesTheNameOfALayer) {
  EXPECT_THAT(New("kReLU").err, HasSubstr("there is a layer kReLU already"));
  EXPECT_THAT(New("Dropout").err, HasSubstr("there is a layer kDropout already"));
  EXPECT_FALSE(std::filesystem::exists(dir_.Path("new")));
}

TEST_F(NewCommandTest, WritesToAnEmptyFolderAndToNoOther) {
  std::filesystem::create_directory(dir_.Path("new"));
  EXPECT_EQ(New("Gate").code, kExitOk);
  const CapturedCommand again = New("Gate");
  EXPECT_EQ(again.code, kExitCantCreate);
  EXPECT_THAT(again.err, HasSubstr("new: exists already, and is not an empty folder"));
  std::filesystem::remove_all(dir_.Path("new"));
  dir_.Write("new", "a file");
  EXPECT_EQ(New("Gate").code, kExitCantCreate);
  EXPECT_EQ(TempDir::Read(dir_.Path("new")), "a file");
}

TEST_F(NewCommandTest, NamesWhatIsMissingInACall) {
  const auto error = [](const std::vector<std::string>& words) {
    const CapturedCommand run([&] { return NewCommand(words); });
    EXPECT_EQ(run.code, kExitUsage);
    return run.err;
  };
  EXPECT_THAT(error({}), HasSubstr("it writes a job or a layer: singa new job DATA DIR"));
  EXPECT_THAT(error({"layer", "Gate"}), HasSubstr("needs a name and a folder"));
  EXPECT_THAT(error({"updater", "Gate", "new"}),
              HasSubstr("it writes a job or a layer, not \"updater\""));
  EXPECT_THAT(error({"layer", "Gate", ""}), HasSubstr("the name of the folder is empty"));
}

}  // namespace
}  // namespace singa::new_command_test
