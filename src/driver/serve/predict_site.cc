#include "driver/serve/predict_site.h"

#include <algorithm>
#include <future>
#include <memory>
#include <utility>

#include "base/text/lower_case.h"
#include "base/text/parse_number.h"
#include "base/text/short_text.h"
#include "base/thread/clock.h"
#include "driver/predict/picture_reader.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMostBody = 64 << 20;  // bytes
constexpr char kPredictPath[] = "/predict";
constexpr char kFloatsType[] = "application/octet-stream";

// Returns a Content-Type without its parameters.
std::string MediaType(const std::string& type) {
  std::string media = type.substr(0, type.find(';'));
  while (!media.empty() && media.back() == ' ') media.pop_back();
  return LowerCase(media);
}

bool IsPictureType(const std::string& media) { return media.starts_with("image/"); }

// Throws unless the site has the path and takes its method and type.
void CheckHead(const HttpRequest& request) {
  const bool predicts = request.path == kPredictPath;
  if (!predicts && request.path != "/" && request.path != "/health" && request.path != "/metrics")
    throw BadRequest{404, "there is nothing at this path; there is /, /health, /metrics, /predict"};
  if (predicts != (request.method == "POST") ||
      (!predicts && request.method != "GET" && request.method != "HEAD"))
    throw BadRequest{405, predicts ? "/predict takes POST, is " + ShortText(request.method, 20)
                                   : "this path takes GET and HEAD"};
  const std::string media = MediaType(request.type);
  if (predicts && media != kJsonType && media != kFloatsType && !IsPictureType(media))
    throw BadRequest{415, StrCat("Content-Type must be ", kJsonType, ", ", kFloatsType,
                                 " or image/..., is \"", ShortText(media, 60), "\"")};
}

// Gives a place of a semaphore back.
template <typename Semaphore>
class HeldPlace {
 public:
  explicit HeldPlace(Semaphore* semaphore) : semaphore_(*semaphore) {}
  ~HeldPlace() { semaphore_.release(); }
  HeldPlace(const HeldPlace&) = delete;
  HeldPlace& operator=(const HeldPlace&) = delete;

 private:
  Semaphore& semaphore_;
};

}  // namespace

PredictSite::PredictSite(PredictSiteOptions options, BatchQueue* queue, ServeCounters* counters)
    : options_(std::move(options)), access_(options_.token), queue_(*queue), counters_(*counters) {}

int64_t PredictSite::MostBody(const HttpRequest& head) const {
  try {
    access_.Check(head);
    CheckHead(head);
  } catch (const BadRequest&) {  // Answer says why
    return 0;
  }
  return head.path == kPredictPath ? kMostBody : 0;
}

HttpAnswer PredictSite::Answer(const HttpRequest& request) {
  const int64_t begin = SteadyClock().Now();
  HttpAnswer answer;
  try {
    access_.Check(request);
    CheckHead(request);
    answer = Reply(request);
  } catch (const BadRequest& why) {
    answer = HttpError(why.status(), why.what());
  } catch (const DataError& error) {
    answer = HttpError(400, error.what());
  } catch (const Error& error) {
    answer = HttpError(500, error.what());
  }
  if (answer.status == 405)
    answer.headers.emplace_back("Allow", request.path == kPredictPath ? "POST" : "GET, HEAD");
  if (answer.status == 503) answer.headers.emplace_back("Retry-After", "1");
  AddSafetyHeaders(&answer);
  if (request.path == kPredictPath && answer.status == 200)
    counters_.AddTime(static_cast<double>(SteadyClock().Now() - begin) / kSecond);
  return answer;
}

void PredictSite::CountAnswer(const std::string& path, int status) {
  if (path == kPredictPath || path.empty()) counters_.AddAnswer(status);
}

HttpAnswer PredictSite::Reply(const HttpRequest& request) {
  if (request.path == kPredictPath) return Predict(request);
  if (request.path == "/health") return JsonAnswer("{\"status\":\"ok\"}\n");
  if (request.path == "/metrics")
    return {200, kMetricsType, counters_.Text(queue_.records()), {{"Cache-Control", "no-store"}}};
  return JsonAnswer(options_.description);
}

HttpAnswer PredictSite::Predict(const HttpRequest& request) {
  if (!predictions_.try_acquire()) throw BadRequest{503, "too many requests are waiting"};
  const HeldPlace place(&predictions_);
  const int64_t top = TopOf(request);
  InputRows rows = RowsOf(request);
  const auto task = std::make_shared<BatchTask>();
  task->records = rows.records();
  task->rows = std::move(rows.numbers);
  std::future<void> done = task->done.get_future();
  if (!queue_.Add(task)) throw BadRequest{503, "too many records are waiting"};
  if (done.wait_for(options_.longest_wait) != std::future_status::ready) {
    queue_.Drop(*task);
    throw BadRequest{503,
                     StrCat("the net gave no scores in ", options_.longest_wait.count(), " s")};
  }
  if (task->status != 200) throw BadRequest{task->status, task->error};
  return JsonAnswer(RowsText(top, rows.lengths, task->scores));
}

InputRows PredictSite::RowsOf(const HttpRequest& request) {
  const std::string media = MediaType(request.type);
  if (media == kFloatsType) return ReadFloatRows(request.body, options_.form);
  if (media == kJsonType) return ReadJsonRows(request.body, options_.form);
  if (!options_.why_no_pictures.empty()) throw BadRequest{415, options_.why_no_pictures};
  return PictureRow(request.body);
}

InputRows PredictSite::PictureRow(const std::string& bytes) {
  pictures_.acquire();
  const HeldPlace place(&pictures_);
  PictureReader reader(options_.form.shape, options_.short_side);
  const Sample& sample =
      reader.Read("the picture", {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  InputRows rows;
  if (sample.data.empty())
    rows.numbers.assign(sample.pixel.begin(), sample.pixel.end());
  else
    rows.numbers.assign(sample.data.begin(), sample.data.end());
  rows.lengths.push_back(options_.form.size);
  return rows;
}

int64_t PredictSite::TopOf(const HttpRequest& request) const {
  if (!request.query.contains("topk")) return options_.format.top;
  const std::string text = QueryOf(request, "topk");
  const auto top = ParseNumber<int64_t>(text);
  if (!top || *top < 0 || *top > options_.outputs)
    throw BadRequest{400, StrCat("topk must be from 0 (all scores) to ", options_.outputs,
                                 ", is \"", ShortText(text, 20), "\"")};
  return *top;
}

// Records have the numbers of the request's records as names.
std::string PredictSite::RowsText(int64_t top, const std::vector<int64_t>& lengths,
                                  const std::vector<float>& scores) const {
  PredictionFormat format = options_.format;
  format.top = top;
  PredictionWriter writer(std::move(format), options_.outputs);
  const auto outputs = static_cast<size_t>(options_.outputs);
  const int64_t steps = options_.output_steps;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const std::string name = std::to_string(i);
    const float* const row = scores.data() + i * static_cast<size_t>(steps) * outputs;
    const int64_t given = options_.form.vocabulary ? std::min(lengths[i], steps) : steps;
    for (int64_t t = 0; t < given; ++t)
      writer.Write(name, steps > 1 ? t : -1, {}, {row + static_cast<size_t>(t) * outputs, outputs});
  }
  std::string lines = writer.Take();
  std::ranges::replace(lines, '\n', ',');  // texts in JSON have no end of line
  lines.pop_back();
  return "{\"predictions\":[" + lines + "]}\n";
}

}  // namespace singa
