// HeardLog keeps all log lines of all threads while it lives.
#pragma once

#include <glog/logging.h>

#include <mutex>
#include <string>

namespace singa {

class HeardLog final : public google::LogSink {
 public:
  HeardLog() { google::AddLogSink(this); }
  ~HeardLog() override { google::RemoveLogSink(this); }
  HeardLog(const HeardLog&) = delete;

  void send(google::LogSeverity, const char*, const char*, int, const google::LogMessageTime&,
            const char* message, size_t length) override {
    const std::lock_guard lock(mutex_);
    text_.append(message, length).append("\n");
  }
  bool Has(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    return text_.find(part) != std::string::npos;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace singa
