#include "driver/serve/predict_site.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "base/thread/thread.h"

namespace singa {
namespace {

using nlohmann::json;

// A site on a net of two numbers. Its scores are the record's numbers; a record that begins with 13
// fails.
class PredictSiteTest : public testing::Test {
 protected:
  void TearDown() override {
    queue_.End();
    if (worker_.joinable()) worker_.join();
  }

  void StartWorker() {
    worker_ = StartThread([this] {
      for (BatchTasks tasks = queue_.Take(); !tasks.empty(); tasks = queue_.Take())
        for (const auto& task : tasks) {
          task->scores = task->rows;
          if (task->rows[0] == 13) task->status = 400, task->error = "record 0: is 13";
          task->done.set_value();
        }
    });
  }

  static HttpRequest PostOf(const std::string& body, const std::string& type = kJsonType) {
    return {.method = "POST", .path = "/predict", .host = "localhost", .type = type, .body = body};
  }
  HttpAnswer Get(const std::string& path) {
    return site_.Answer({.path = path, .host = "localhost"});
  }

  BatchQueue queue_{4, 8};
  ServeCounters counters_;
  PredictSiteOptions options_{.description = "{\"name\":\"n\"}\n",
                              .form = {.shape = {2}, .size = 2, .most_records = 9},
                              .outputs = 2,
                              .format = {.json = true, .classes = {"a", "b"}},
                              .why_no_pictures = "the net takes no pictures"};
  PredictSite site_{options_, &queue_, &counters_};
  std::thread worker_;
};

TEST_F(PredictSiteTest, AnswersWithTheRowsOfPredict) {
  StartWorker();
  const HttpAnswer answer = site_.Answer(PostOf(R"({"inputs":[[0.25,0.75],[1,2]]})"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            "{\"predictions\":[{\"record\":\"0\",\"scores\":[0.25,0.75]},"
            "{\"record\":\"1\",\"scores\":[1,2]}]}\n");
}

TEST_F(PredictSiteTest, AnswersWithTheBestClasses) {
  StartWorker();
  HttpRequest request = PostOf(R"({"inputs":[[0.25,0.75]]})");
  request.query["topk"] = "1";
  const json top = json::parse(site_.Answer(request).body)["predictions"][0]["top"];
  EXPECT_EQ(top, json::parse(R"([{"class":1,"name":"b","score":0.75}])"));
  request.query["topk"] = "3";
  EXPECT_EQ(site_.Answer(request).status, 400);
}

TEST_F(PredictSiteTest, TellsTheErrorOfTheNet) {
  StartWorker();
  const HttpAnswer answer = site_.Answer(PostOf(R"({"inputs":[[13,0]]})"));
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(json::parse(answer.body)["error"], "record 0: is 13");
}

TEST_F(PredictSiteTest, RefusesARequestWithoutRoomInTheQueue) {
  const auto waiting = std::make_shared<BatchTask>();
  waiting->records = 8;
  waiting->rows = {0};
  queue_.Add(waiting);
  const HttpAnswer answer = site_.Answer(PostOf(R"({"inputs":[[1,2]]})"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(Get("/metrics").body.find("singa_predict_queue_records 8\n"), std::string::npos);
}

TEST_F(PredictSiteTest, DropsTheRecordsOfARequestThatWaitsTooLong) {
  options_.longest_wait = std::chrono::seconds(0);
  PredictSite site(options_, &queue_, &counters_);
  const HttpAnswer answer = site.Answer(PostOf(R"({"inputs":[[1,2]]})"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(json::parse(answer.body)["error"], "the net gave no scores in 0 s");
  EXPECT_EQ(queue_.records(), 0);
}

TEST_F(PredictSiteTest, RefusesOtherRequests) {
  EXPECT_EQ(Get("/nothing").status, 404);
  EXPECT_EQ(Get("/predict").status, 405);
  EXPECT_EQ(site_.Answer({.method = "POST", .path = "/", .host = "localhost"}).status, 405);
  EXPECT_EQ(site_.Answer({.method = "POST", .path = "/predict", .host = "evil.example"}).status,
            403);
  EXPECT_EQ(site_.Answer(PostOf("{}", "text/plain")).status, 415);
  EXPECT_EQ(site_.Answer(PostOf("", "image/png")).status, 415);
  EXPECT_EQ(site_.Answer(PostOf("{}")).status, 400);
}

TEST_F(PredictSiteTest, ReadsNoBodyThatItRefuses) {
  EXPECT_GT(site_.MostBody(PostOf("")), 0);
  EXPECT_GT(site_.MostBody(PostOf("", "application/JSON; charset=utf-8")), 0);
  EXPECT_EQ(site_.MostBody(PostOf("", "text/plain")), 0);
  EXPECT_EQ(site_.MostBody({.path = "/metrics", .host = "localhost"}), 0);
  HttpRequest foreign = PostOf("");
  foreign.host = "evil.example";
  EXPECT_EQ(site_.MostBody(foreign), 0);
}

TEST_F(PredictSiteTest, CountsAnswers) {
  StartWorker();
  EXPECT_EQ(site_.Answer(PostOf(R"({"inputs":[[1,2]]})")).status, 200);
  EXPECT_EQ(site_.Answer(PostOf("{}")).status, 400);
  for (const int status : {200, 411, 411}) site_.CountAnswer("/predict", status);
  site_.CountAnswer("", 400);
  site_.CountAnswer("/metrics", 200);
  const std::string text = Get("/metrics").body;
  for (const char* line :
       {"singa_predict_requests_total{code=\"200\"} 1\n",
        "singa_predict_requests_total{code=\"400\"} 1\n",
        "singa_predict_requests_total{code=\"411\"} 2\n", "singa_predict_seconds_count 1\n",
        "# TYPE singa_predict_seconds summary\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(Get("/health").status, 200);
  EXPECT_EQ(Get("/").body, "{\"name\":\"n\"}\n");
}

TEST(ServeCountersTest, WritesBatchesAndQuantiles) {
  ServeCounters counters;
  for (int i = 1; i <= 100; ++i) counters.AddTime(i);
  counters.AddBatch(1, 0.5);
  counters.AddBatch(3, 0.25);
  const std::string text = counters.Text(0);
  for (const char* line : {"singa_predict_batch_records_bucket{le=\"1\"} 1\n",
                           "singa_predict_batch_records_bucket{le=\"2\"} 1\n",
                           "singa_predict_batch_records_bucket{le=\"4\"} 2\n",
                           "singa_predict_batch_records_bucket{le=\"+Inf\"} 2\n",
                           "singa_predict_batch_records_sum 4\n", "singa_predict_records_total 4\n",
                           "singa_predict_compute_seconds_total 0.75\n",
                           "singa_predict_seconds{quantile=\"0.5\"} 50\n",
                           "singa_predict_seconds{quantile=\"0.99\"} 99\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

}  // namespace
}  // namespace singa
