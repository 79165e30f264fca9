#include "driver/board/board_site.h"

#include <optional>
#include <utility>

#include "base/text/parse_number.h"
#include "driver/board/metrics_text.h"
#include "driver/board/page_files.h"
#include "driver/board/run_details.h"
#include "driver/http/http_access.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using nlohmann::ordered_json;

// Returns a number of the query; none: it is not there. Throws BadRequest.
std::optional<int64_t> NumberInQuery(const HttpRequest& request, const std::string& name,
                                     int64_t least, int64_t most) {
  if (!request.query.contains(name)) return {};
  const auto number = ParseNumber<int64_t>(QueryOf(request, name));
  if (!number || *number < least || *number > most)
    throw BadRequest{400, StrCat(name, " must be a number from ", least, " to ", most)};
  return number;
}

}  // namespace

BoardSite::BoardSite(const std::vector<std::string>& workspaces, std::string token)
    : access_(std::move(token)) {
  const std::vector<std::string> names = RunNames(workspaces);
  for (size_t i = 0; i < workspaces.size(); ++i)
    runs_.push_back(std::make_unique<BoardRun>(static_cast<int>(i), names[i], workspaces[i]));
}

HttpAnswer BoardSite::Answer(const HttpRequest& request) {
  static const std::map<std::string, Handler> handlers = {{"/api/runs", &BoardSite::Runs},
                                                          {"/api/rows", &BoardSite::Rows},
                                                          {"/api/run", &BoardSite::Run},
                                                          {"/metrics", &BoardSite::Metrics}};
  HttpAnswer answer;
  const auto handler = handlers.find(request.path);
  try {
    access_.Check(request);
    if (request.method != "GET" && request.method != "HEAD")
      throw BadRequest{405, "only GET and HEAD are answered"};
    answer = handler == handlers.end() ? File(request) : (this->*handler->second)(request);
  } catch (const BadRequest& why) {
    answer = HttpError(why.status(), why.what());
  } catch (const Error& error) {
    answer = HttpError(500, error.what());
  }
  if (answer.status == 405) answer.headers.emplace_back("Allow", "GET, HEAD");
  AddSafetyHeaders(&answer);
  return answer;
}

HttpAnswer BoardSite::File(const HttpRequest& request) const {
  for (const PageFile& file : PageFiles()) {
    if (file.path != request.path) continue;
    HttpAnswer answer{
        200, std::string(file.type), std::string(file.content), {{"Cache-Control", "no-cache"}}};
    access_.SetCookie(request, &answer);
    return answer;
  }
  throw BadRequest{404, "there is nothing at this path"};
}

BoardRun& BoardSite::Find(const HttpRequest& request) {
  const std::string wanted = QueryOf(request, "run");
  const auto number = ParseNumber<int64_t>(wanted);
  for (const auto& run : runs_)
    if (run->name() == wanted || (number && *number == run->number())) return *run;
  throw BadRequest{404, "run must be the number or the name of a run of /api/runs"};
}

HttpAnswer BoardSite::Runs(const HttpRequest&) {
  ordered_json runs = ordered_json::array();
  for (const auto& run : runs_) runs.push_back(run->Summary());
  return JsonAnswer(JsonBody({{"runs", std::move(runs)}}));
}

HttpAnswer BoardSite::Rows(const HttpRequest& request) {
  BoardRun& run = Find(request);
  RowsRequest rows;
  constexpr int64_t kMost = int64_t{1} << 53;
  rows.after = NumberInQuery(request, "after", 0, kMost).value_or(rows.after);
  rows.generation = NumberInQuery(request, "generation", 0, kMost);
  rows.most = NumberInQuery(request, "most", 2, 20'000).value_or(rows.most);
  return JsonAnswer(run.Rows(rows));
}

HttpAnswer BoardSite::Run(const HttpRequest& request) {
  const BoardRun& run = Find(request);
  return JsonAnswer(JsonBody(RunDetails(run.number(), run.files())));
}

HttpAnswer BoardSite::Metrics(const HttpRequest&) {
  std::vector<RunState> states;
  for (const auto& run : runs_) states.push_back(run->State());
  return {200, kMetricsType, MetricsText(states), {{"Cache-Control", "no-store"}}};
}

}  // namespace singa
