#include "driver/board/board_site.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/temp_dir.h"

namespace singa {
namespace {

using nlohmann::json;

class BoardSiteTest : public testing::Test {
 protected:
  BoardSiteTest() {
    dir_.Write("metrics.jsonl",
               "{\"time\":5,\"phase\":\"train\",\"step\":3,\"group\":0,\"layer\":\"l\",\"loss\":1,"
               "\"lr\":0.1}\n");
  }
  HttpAnswer Get(const std::string& path, const std::map<std::string, std::string>& query = {}) {
    return site_.Answer({.path = path, .query = query, .host = "localhost:1"});
  }
  json JsonOf(const std::string& path, const std::map<std::string, std::string>& query = {}) {
    const HttpAnswer answer = Get(path, query);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return json::parse(answer.body);
  }

  const TempDir dir_;
  BoardSite site_{{dir_.path()}, ""};
};

TEST_F(BoardSiteTest, TellsOfRuns) {
  const json run = JsonOf("/api/runs")["runs"][0];
  EXPECT_EQ(run["name"], std::filesystem::path(dir_.path()).filename().string());
  EXPECT_EQ(run["rows"], 1);
  EXPECT_EQ(run["step"], 3);
  EXPECT_EQ(run["phases"], json::array({"train"}));
  EXPECT_EQ(run["metrics"], json::array({"loss"}));
  EXPECT_EQ(run["values"], json::array({"lr"}));
  EXPECT_EQ(run["layers"], json::array({"l"}));
  EXPECT_EQ(run["live"], false);
  EXPECT_TRUE(run["error"].is_null());
}

TEST_F(BoardSiteTest, SendsRowsAfterTheKnownOnes) {
  const json all = JsonOf("/api/rows", {{"run", "0"}, {"after", "0"}});
  EXPECT_EQ(all["rows"].size(), 1U);
  EXPECT_EQ(all["next"], 1);
  const json none = JsonOf("/api/rows", {{"run", "0"}, {"after", "1"}});
  EXPECT_EQ(none["rows"].size(), 0U);
  EXPECT_EQ(none["reset"], false);
}

TEST_F(BoardSiteTest, TellsThatRowsBeginAgain) {
  EXPECT_EQ(JsonOf("/api/rows", {{"run", "0"}, {"after", "2"}})["reset"], true);
  const json other = JsonOf("/api/rows", {{"run", "0"}, {"after", "1"}, {"generation", "1"}});
  EXPECT_EQ(other["reset"], true);
  EXPECT_EQ(other["rows"].size(), 1U);
}

TEST_F(BoardSiteTest, AMissingWorkspaceIsAnErrorOfItsRun) {
  BoardSite site({dir_.path(), dir_.Path("none")}, "");
  const json runs =
      json::parse(site.Answer({.path = "/api/runs", .host = "localhost"}).body)["runs"];
  EXPECT_TRUE(runs[0]["error"].is_null());
  EXPECT_TRUE(runs[1]["error"].is_string());
}

TEST_F(BoardSiteTest, TellsOfAWorkspaceWithoutOtherFiles) {
  const json run = JsonOf("/api/run", {{"run", "0"}});
  EXPECT_TRUE(run["net"].is_null());
  EXPECT_TRUE(run["plan"].is_null());
  EXPECT_EQ(run["checkpoints"].size(), 0U);
}

TEST_F(BoardSiteTest, ARowThatIsNestedDeeplyIsMalformed) {
  constexpr size_t kDepth = 400'000;
  const std::string nested = std::string(kDepth, '[') + std::string(kDepth, ']');
  dir_.Write("metrics.jsonl", "{\"phase\":\"train\",\"step\":1,\"time\":" + nested + "}\n");
  EXPECT_EQ(JsonOf("/api/runs")["runs"][0]["malformed"], 1);
  EXPECT_EQ(Get("/metrics").status, 200);
}

TEST_F(BoardSiteTest, TellsOfTheJobAsItRan) {
  std::filesystem::create_directory(dir_.Path("visualization"));
  const std::string conf = "name: \"digits\" train_steps: 70\n", dot = "digraph \"x\" {}\n";
  dir_.Write("visualization/job.conf", conf);
  dir_.Write("visualization/train_net.dot", dot);
  const json run = JsonOf("/api/runs")["runs"][0];
  EXPECT_EQ(run["job"], "digits");
  EXPECT_EQ(run["train_steps"], 70);
  const json details = JsonOf("/api/run", {{"run", "0"}});
  EXPECT_EQ(details["conf"], conf);
  EXPECT_EQ(details["dot"], dot);
}

TEST_F(BoardSiteTest, TellsTimesOfLayersWithoutWrongRowsAndOtherMembers) {
  EXPECT_TRUE(JsonOf("/api/run", {{"run", "0"}})["layers_ms"].is_null());
  std::filesystem::create_directory(dir_.Path("visualization"));
  const std::string row = R"({"layer":"fc","forward_ms":2,"backward_ms":3})";
  dir_.Write("visualization/layers_ms.json",
             "[null,7,{\"layer\":1},{\"layer\":\"fc\",\"forward_ms\":\"2\"},"
             R"({"layer":"fc","forward_ms":2,"backward_ms":3,"more":[[1]]}])");
  EXPECT_EQ(JsonOf("/api/run", {{"run", "0"}})["layers_ms"], json::parse("[" + row + "]"));
  dir_.Write("visualization/layers_ms.json", "{\"layer\":[");
  EXPECT_TRUE(JsonOf("/api/run", {{"run", "0"}})["layers_ms"].is_null());
}

TEST_F(BoardSiteTest, RefusesWrongQueriesAndPaths) {
  EXPECT_EQ(Get("/api/rows", {{"run", "7"}}).status, 404);
  EXPECT_EQ(Get("/api/rows").status, 404);
  EXPECT_EQ(Get("/api/rows", {{"run", "0"}, {"after", "-1"}}).status, 400);
  EXPECT_EQ(Get("/api/rows", {{"run", "0"}, {"after", "1e9"}}).status, 400);
  EXPECT_EQ(Get("/api/rows", {{"run", "0"}, {"most", "1"}}).status, 400);
  EXPECT_EQ(Get("/../metrics.jsonl").status, 404);
  EXPECT_EQ(Get("/nothing").status, 404);
}

TEST_F(BoardSiteTest, RefusesOtherMethods) {
  EXPECT_EQ(site_.Answer({.method = "POST", .path = "/api/runs", .host = "localhost"}).status, 405);
  EXPECT_EQ(site_.Answer({.method = "HEAD", .path = "/api/runs", .host = "localhost"}).status, 200);
}

TEST_F(BoardSiteTest, OnLoopbackRefusesNamesOfOtherSites) {
  for (const char* host : {"evil.example", "evil.example:80", "localhost.evil.example", "",
                           "10.0.0.1", "127.0.0.1.evil.example", "[::2]:80"})
    EXPECT_EQ(site_.Answer({.path = "/metrics", .host = host}).status, 403) << host;
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1:80", "127.9.9.9", "[::1]:80"})
    EXPECT_EQ(site_.Answer({.path = "/metrics", .host = host}).status, 200) << host;
}

TEST_F(BoardSiteTest, WithATokenEachRequestNeedsIt) {
  BoardSite site({dir_.path()}, "5ec2e7");
  const auto status = [&](const HttpRequest& request) { return site.Answer(request).status; };
  EXPECT_EQ(status({.path = "/metrics", .host = "localhost"}), 403);
  EXPECT_EQ(status({.path = "/metrics", .query = {{"token", "5ec2e8"}}, .host = "h"}), 403);
  EXPECT_EQ(status({.path = "/metrics", .query = {{"token", "5ec2e7"}}, .host = "h"}), 200);
  EXPECT_EQ(status({.path = "/metrics", .cookie = "a=b; singa_token=5ec2e7; c=d"}), 200);
  EXPECT_EQ(status({.path = "/metrics", .cookie = "singa_token=5ec2e"}), 403);
  EXPECT_EQ(status({.path = "/metrics", .cookie = "not_singa_token=5ec2e7"}), 403);
}

TEST(RunNamesTest, HaveMoreOfThePathWhereFoldersHaveOneName) {
  EXPECT_EQ(RunNames({"/a/x/run", "/a/y/run", "/b/other"}),
            (std::vector<std::string>{"x/run", "y/run", "other"}));
  EXPECT_EQ(RunNames({"/a/run", "/a/run/"}), (std::vector<std::string>{"a/run", "a/run#1"}));
}

}  // namespace
}  // namespace singa
