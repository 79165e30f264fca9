#include "driver/job/graph_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "driver/job/dot_graph.h"
#include "io/temp_dir.h"
#include "support/net_test.h"

namespace singa::graph_file {
namespace {

constexpr char kNet[] = R"(
  layer { name: "data" type: kDummy dummy_conf { input: true shape: 2 shape: 3 } }
  layer { name: "fc" type: kInnerProduct srclayers: "data"
          innerproduct_conf { num_output: 4 bias_term: false } param { name: "w" } }
  layer { name: "end" type: kDummy srclayers: "fc" dummy_conf { output: true } })";

TEST(GraphFile, JsonHasNodesAndLinks) {
  const TestNet test(kNet, {}, false);
  const auto graph = nlohmann::json::parse(GraphJson(test.net));
  EXPECT_EQ(graph["directed"], 1);
  ASSERT_EQ(graph["nodes"].size(), 3u);
  EXPECT_EQ(
      graph["nodes"][1],
      (nlohmann::json{
          {"id", "fc"}, {"label", "fc -- shape: 2 4 "}, {"color", "black"}, {"shape", "box"}}));
  ASSERT_EQ(graph["links"].size(), 2u);
  EXPECT_EQ(graph["links"][0], (nlohmann::json{{"source", 0}, {"target", 1}, {"label", ""}}));
}

TEST(GraphFile, NamesOfOtherBytesStillMakeJson) {
  const TestNet test(
      "layer { name: 'caf\xe9' type: kDummy dummy_conf { input: true shape: 1 shape: 1 } }", {},
      false);
  EXPECT_TRUE(nlohmann::json::accept(GraphJson(test.net)));
}

TEST(GraphFile, WorkersHaveColours) {
  const char* const colours[] = {"black", "red", "yellow", "blue", "black"};
  TestNet test(kNet, {}, false);
  for (int worker = 0; worker < 5; ++worker) {
    test.net.nodes()[0].part = worker;
    EXPECT_EQ(nlohmann::json::parse(GraphJson(test.net))["nodes"][0]["color"], colours[worker]);
  }
}

TEST(GraphFile, AnEarlierFileIsReplaced) {
  const TempDir dir;
  PosixFileSystem files;
  const TestNet test(kNet, {}, false);
  dir.Write("net.dot", "old");
  WriteGraphFiles(&files, test.net, dir.Path("net"), "title");
  EXPECT_EQ(TempDir::Read(dir.Path("net.dot")), GraphDot(test.net, "title"));
  EXPECT_EQ(TempDir::Read(dir.Path("net.json")), GraphJson(test.net));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), {}), 2);
}

TEST(GraphFile, AFolderThatIsNotThereIsAnError) {
  const TempDir dir;
  PosixFileSystem files;
  const TestNet test(kNet, {}, false);
  EXPECT_THROW(WriteGraphFiles(&files, test.net, dir.Path("none/net"), ""), WriteError);
}

// The inputs are 0; the weights are -2, and their gradients 6 with a loss scale of 3.
TEST(GraphFile, DebugFilesHaveMeansOfAbsoluteValues) {
  const TempDir dir;
  PosixFileSystem files;
  TestNet test(kNet, KeepAll());
  test.Forward();
  test.Backward();
  Param& w = *test.params.Find("w");
  std::fill_n(w.data.data(), w.size(), -2.f);
  std::fill_n(w.grad.data(), w.size(), 6.f);
  test.state.loss_scale = 3;
  WriteDebugFiles(&files, test.ctx, test.net, dir.path(), 7, 1);
  const auto label = [&](const std::string& file, int node) {
    return nlohmann::json::parse(TempDir::Read(dir.Path(file)))["nodes"][node]["label"]
        .get<std::string>();
  };
  EXPECT_EQ(label("fp-step7-loc1.json", 1).rfind("fc -- data: ", 0), 0u);
  EXPECT_NE(label("fp-step7-loc1.json", 1).find(" w: 2 "), std::string::npos);
  EXPECT_NE(label("bp-step7-loc1.json", 1).find(" w: 2 "), std::string::npos);
  EXPECT_EQ(label("bp-step7-loc1.json", 0), "data -- ");  // it has no gradient
}

}  // namespace
}  // namespace singa::graph_file
