#include "driver/serve/batch_worker.h"

#include <glog/logging.h>

#include <algorithm>
#include <exception>

#include "base/thread/clock.h"
#include "base/thread/thread.h"
#include "singa/base/error.h"
#include "train/trainer/forwarder.h"

namespace singa {

BatchWorker::BatchWorker(const Model& model, const SessionOptions& session, BatchQueue* queue,
                         ServeCounters* counters)
    : model_(model), session_(model, session), queue_(*queue), counters_(*counters) {
  thread_ = StartThread([this, batch = session.max_batch] {
    WarmUp(batch);
    Run();
  });
}

BatchWorker::~BatchWorker() { thread_.join(); }

// A session has a net for max_batch rows, and for each power of two below.
void BatchWorker::WarmUp(int64_t max_batch) {
  try {
    const std::vector<float> rows(static_cast<size_t>(max_batch * model_.input_size()));
    std::vector<float> scores(static_cast<size_t>(max_batch * model_.output_size()));
    for (int64_t n = 1; n < 2 * max_batch; n *= 2) {
      const auto size = static_cast<size_t>(std::min(n, max_batch));
      session_.Run({rows.data(), size * static_cast<size_t>(model_.input_size())},
                   {scores.data(), size * static_cast<size_t>(model_.output_size())});
    }
  } catch (const std::exception& error) {  // a user's layer may refuse zeros
    LOG(WARNING) << "a first batch of zeros: " << error.what();
  }
}

void BatchWorker::Run() {
  for (BatchTasks tasks = queue_.Take(); !tasks.empty(); tasks = queue_.Take()) {
    Compute(tasks);
    for (const auto& task : tasks) task->done.set_value();
  }
}

// An error of one record must not end the others' tasks, so each is then computed alone.
void BatchWorker::Compute(const BatchTasks& tasks) {
  if (tasks.size() == 1) return ComputeAlone(tasks[0].get());
  const size_t in = static_cast<size_t>(model_.input_size());
  const size_t out = static_cast<size_t>(model_.output_size());
  try {
    rows_.clear();
    for (const auto& task : tasks) rows_.insert(rows_.end(), task->rows.begin(), task->rows.end());
    scores_.resize(rows_.size() / in * out);
    RunSession(rows_, scores_);
    auto from = scores_.begin();
    for (const auto& task : tasks) {
      const auto to = from + task->records * model_.output_size();
      task->scores.assign(from, to);
      from = to;
    }
  } catch (const std::exception&) {
    for (const auto& task : tasks) ComputeAlone(task.get());
  }
}

void BatchWorker::ComputeAlone(BatchTask* task) {
  try {
    task->scores.resize(static_cast<size_t>(task->records * model_.output_size()));
    RunSession(task->rows, task->scores);
  } catch (const RowError& error) {
    task->status = 400;
    task->error =
        StrCat("record ", error.row(), ": ",
               error.step() < 0 ? "" : StrCat("step ", error.step(), ": "), error.message());
  } catch (const std::exception& error) {
    LOG(ERROR) << error.what();
    task->status = 500;
    task->error = error.what();
  }
}

void BatchWorker::RunSession(std::span<const float> rows, std::span<float> scores) {
  const int64_t begin = SteadyClock().Now();
  session_.Run(rows, scores);
  const double seconds = static_cast<double>(SteadyClock().Now() - begin) / kSecond;
  counters_.AddBatch(static_cast<int64_t>(rows.size()) / model_.input_size(), seconds);
}

}  // namespace singa
