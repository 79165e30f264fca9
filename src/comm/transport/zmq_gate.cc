#include "comm/transport/zmq_gate.h"

#include <glog/logging.h>

#include <array>
#include <charconv>

#include "comm/security/token.h"
#include "comm/transport/zmq_settings.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostFrames = 16;
constexpr size_t kMostReported = 64;  // sources that the log names
constexpr int64_t kReportInterval = kSecond;

// Frames of a question (ZAP 1.0). Credentials follow.
enum Question { kZapVersion, kRequest, kDomain, kAddress, kIdentity, kMechanism, kCredentials };

// Reads a number that follows the character `before`, and moves `*text` behind it.
template <typename Number>
bool Take(char before, std::string_view* text, Number* number) {
  if (text->size() < 2 || text->front() != before) return false;
  if (!std::isdigit(static_cast<unsigned char>((*text)[1]))) return false;
  const auto [stop, error] =
      std::from_chars(text->data() + 1, text->data() + text->size(), *number);
  text->remove_prefix(stop - text->data());
  return error == std::errc();
}

std::string ToZ85(const std::string& key) {
  std::array<char, 41> text;
  if (key.size() != 32) return "";
  return zmq_z85_encode(text.data(), reinterpret_cast<const uint8_t*>(key.data()), key.size());
}

}  // namespace

std::string ToString(const RoutingId& id) {
  return StrCat("r", id.rank, ".", id.incarnation, ".", id.connection);
}

bool ParseRoutingId(const std::string& text, RoutingId* id) {
  std::string_view rest = text;
  if (!Take('r', &rest, &id->rank) || rest.size() < 18 || rest[0] != '.') return false;
  id->incarnation = rest.substr(1, 16);
  rest.remove_prefix(17);
  return Take('.', &rest, &id->connection) && rest.empty() && ToString(*id) == text;
}

std::string PasswordOf(const std::string& token, const std::string& routing_id, int server,
                       int port) {
  return ProofOf(token, StrCat("client ", routing_id, " of server ", server, " at port ", port));
}

std::string ServerName(const std::string& token, int rank) {
  return StrCat("s", rank, ".", ProofOf(token, StrCat("server ", rank)));
}

ZmqGate::ZmqGate(zmq::context_t* context, const Clock* clock, int rank, int processes,
                 const JobSecrets& secrets, bool curve)
    : socket_(MakeSocket(context, ZMQ_REP)),
      clock_(clock),
      rank_(rank),
      processes_(processes),
      curve_(curve),
      token_(secrets.token) {
  SetOption(&socket_, ZMQ_LINGER, 0);
  socket_.bind("inproc://zeromq.zap.01");
  for (size_t other = 0; other < secrets.keys.size(); ++other)
    rank_of_key_[secrets.keys[other].public_key] = static_cast<int>(other);
}

void ZmqGate::Answer() {
  std::vector<std::string> question;
  zmq::message_t frame;
  while (socket_.recv(frame, zmq::recv_flags::dontwait)) {
    if (question.size() < kMostFrames) question.push_back(frame.to_string());
    if (frame.more()) continue;
    const char* reason = nullptr;
    const int rank = Judge(question, &reason);
    if (rank < 0) Report(question.size() > kAddress ? question[kAddress] : "", reason);
    question.resize(kCredentials);
    Reply(question, rank);
    question.clear();
  }
}

int ZmqGate::Judge(const std::vector<std::string>& question, const char** reason) const {
  *reason = "it does not authenticate as this job does";
  if (question.size() <= kCredentials || question[kZapVersion] != "1.0") return -1;
  int rank = -1;
  if (curve_ && question[kMechanism] == "CURVE" && question.size() == kCredentials + 1)
    rank = JudgeKey(question[kCredentials], reason);
  if (!curve_ && question[kMechanism] == "PLAIN" && question.size() == kCredentials + 2)
    rank = JudgePassword(question[kCredentials], question[kCredentials + 1], reason);
  if (rank < 0) return -1;
  *reason = "processes of its rank do not connect here";
  return rank > rank_ && rank < processes_ ? rank : -1;
}

int ZmqGate::JudgeKey(const std::string& key, const char** reason) const {
  *reason = "its key is not one of this job's";
  const auto found = rank_of_key_.find(ToZ85(key));
  return found == rank_of_key_.end() ? -1 : found->second;
}

int ZmqGate::JudgePassword(const std::string& name, const std::string& password,
                           const char** reason) const {
  *reason = "it does not know this job's token";
  RoutingId id;
  if (!ParseRoutingId(name, &id)) return -1;
  return SameProof(password, PasswordOf(token_, name, rank_, port_)) ? id.rank : -1;
}

void ZmqGate::Reply(const std::vector<std::string>& question, int rank) {
  const bool good = rank >= 0;
  const std::array<std::string, 6> answer = {"1.0",
                                             question[kRequest],
                                             good ? "200" : "400",
                                             good ? "OK" : "Refused",
                                             good ? std::to_string(rank) : "",
                                             ""};
  for (size_t i = 0; i < answer.size(); ++i) {
    const auto flags = i + 1 < answer.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
    socket_.send(zmq::buffer(answer[i]), flags | zmq::send_flags::dontwait);
  }
}

void ZmqGate::Report(const std::string& source, const char* reason) {
  ++refused_;
  const int64_t now = clock_->Now();
  if (now < next_report_ || reported_.size() >= kMostReported) return;
  if (!reported_.insert(source).second) return;
  next_report_ = now + kReportInterval;
  LOG(WARNING) << "refused a connection from " << Printable(source) << ": " << reason << " ("
               << refused_ << " refused so far)";
}

}  // namespace singa
