#include "driver/board/board_site.h"

#include <arpa/inet.h>
#include <sodium.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/parse_number.h"
#include "driver/board/metrics_text.h"
#include "driver/board/page_files.h"
#include "driver/board/run_details.h"
#include "singa/base/error.h"

namespace singa {
namespace {

using nlohmann::ordered_json;

constexpr char kJson[] = "application/json";
constexpr char kCookie[] = "singa_token";
constexpr char kPolicy[] =
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// A request that cannot be answered.
struct BadRequest {
  int status;
  std::string text;
};

std::string Dump(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

BoardAnswer JsonAnswer(std::string body, int status = 200) {
  return {status, kJson, std::move(body), {{"Cache-Control", "no-store"}}};
}

BoardAnswer Refusal(const BadRequest& why) {
  return JsonAnswer(Dump({{"error", why.text}}), why.status);
}

// Compares texts in a time that does not tell where they differ.
bool EqualTexts(const std::string& a, const std::string& b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

// Returns a cookie's value in a Cookie header; "": it has none.
std::string CookieOf(const std::string& header) {
  const std::string name = StrCat(kCookie, "=");
  for (size_t begin = 0; begin < header.size();) {
    while (begin < header.size() && header[begin] == ' ') ++begin;
    const size_t end = std::min(header.find(';', begin), header.size());
    if (header.compare(begin, name.size(), name) == 0)
      return header.substr(begin + name.size(), end - begin - name.size());
    begin = end + 1;
  }
  return "";
}

std::string QueryOf(const BoardRequest& request, const std::string& name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

// Returns a number of the query; none: it is not there. Throws BadRequest.
std::optional<int64_t> NumberInQuery(const BoardRequest& request, const std::string& name,
                                     int64_t least, int64_t most) {
  if (!request.query.contains(name)) return {};
  const auto number = ParseNumber<int64_t>(QueryOf(request, name));
  if (!number || *number < least || *number > most)
    throw BadRequest{400, StrCat(name, " must be a number from ", least, " to ", most)};
  return number;
}

}  // namespace

bool IsLoopbackName(const std::string& host) {
  std::string name = host;
  if (name.starts_with('[')) {
    name = name.substr(1, name.find(']') - 1);
  } else {
    name = name.substr(0, name.find(':'));
  }
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "localhost" || name == "::1") return true;
  in_addr address;
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

BoardSite::BoardSite(const std::vector<std::string>& workspaces, std::string token)
    : token_(std::move(token)) {
  const std::vector<std::string> names = RunNames(workspaces);
  for (size_t i = 0; i < workspaces.size(); ++i)
    runs_.push_back(std::make_unique<BoardRun>(static_cast<int>(i), names[i], workspaces[i]));
}

std::string BoardSite::WhyRefused(const BoardRequest& request) const {
  if (token_.empty())
    return IsLoopbackName(request.host) ? "" : "the Host header must name loopback";
  if (EqualTexts(QueryOf(request, "token"), token_) || EqualTexts(CookieOf(request.cookie), token_))
    return "";
  return "the URL needs the token that singa board has printed: ?token=...";
}

BoardAnswer BoardSite::Answer(const BoardRequest& request) {
  static const std::map<std::string, Handler> handlers = {{"/api/runs", &BoardSite::Runs},
                                                          {"/api/rows", &BoardSite::Rows},
                                                          {"/api/run", &BoardSite::Run},
                                                          {"/metrics", &BoardSite::Metrics}};
  BoardAnswer answer;
  const std::string refused = WhyRefused(request);
  const auto handler = handlers.find(request.path);
  try {
    if (!refused.empty()) throw BadRequest{403, refused};
    if (request.method != "GET" && request.method != "HEAD")
      throw BadRequest{405, "only GET and HEAD are answered"};
    answer = handler == handlers.end() ? File(request) : (this->*handler->second)(request);
  } catch (const BadRequest& why) {
    answer = Refusal(why);
  } catch (const Error& error) {
    answer = Refusal({500, error.what()});
  }
  if (answer.status == 405) answer.headers.emplace_back("Allow", "GET, HEAD");
  answer.headers.emplace_back("Content-Security-Policy", kPolicy);
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  answer.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  return answer;
}

BoardAnswer BoardSite::File(const BoardRequest& request) const {
  for (const PageFile& file : PageFiles()) {
    if (file.path != request.path) continue;
    BoardAnswer answer{
        200, std::string(file.type), std::string(file.content), {{"Cache-Control", "no-cache"}}};
    if (!token_.empty() && request.query.contains("token"))
      answer.headers.emplace_back(
          "Set-Cookie", StrCat(kCookie, "=", token_, "; Path=/; HttpOnly; SameSite=Strict"));
    return answer;
  }
  throw BadRequest{404, "there is nothing at this path"};
}

BoardRun& BoardSite::Find(const BoardRequest& request) {
  const std::string wanted = QueryOf(request, "run");
  const auto number = ParseNumber<int64_t>(wanted);
  for (const auto& run : runs_)
    if (run->name() == wanted || (number && *number == run->number())) return *run;
  throw BadRequest{404, "run must be the number or the name of a run of /api/runs"};
}

BoardAnswer BoardSite::Runs(const BoardRequest&) {
  ordered_json runs = ordered_json::array();
  for (const auto& run : runs_) runs.push_back(run->Summary());
  return JsonAnswer(Dump({{"runs", std::move(runs)}}));
}

BoardAnswer BoardSite::Rows(const BoardRequest& request) {
  BoardRun& run = Find(request);
  RowsRequest rows;
  constexpr int64_t kMost = int64_t{1} << 53;
  rows.after = NumberInQuery(request, "after", 0, kMost).value_or(rows.after);
  rows.generation = NumberInQuery(request, "generation", 0, kMost);
  rows.most = NumberInQuery(request, "most", 2, 20'000).value_or(rows.most);
  return JsonAnswer(run.Rows(rows));
}

BoardAnswer BoardSite::Run(const BoardRequest& request) {
  const BoardRun& run = Find(request);
  return JsonAnswer(Dump(RunDetails(run.number(), run.files())));
}

BoardAnswer BoardSite::Metrics(const BoardRequest&) {
  std::vector<RunState> states;
  for (const auto& run : runs_) states.push_back(run->State());
  return {200,
          "text/plain; version=0.0.4; charset=utf-8",
          MetricsText(states),
          {{"Cache-Control", "no-store"}}};
}

}  // namespace singa
