// ThreadedJob runs the processes of a job as threads of one process, over real sockets. Heard keeps
// the events of their groups.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/process/job_process.h"
#include "singa/base/str_cat.h"

namespace singa {

class ThreadedJob {
 public:
  // `clock` must outlive the job; null: the steady clock. `calls`: one entry for the process of
  // each rank. `reach`: where the processes believe to be.
  explicit ThreadedJob(
      const JobProto& job, const Clock* clock = nullptr,
      std::function<JobCalls(int)> calls = [](int) { return JobCalls(); },
      Reach reach = Reach::kThisHost)
      : job_(job),
        clock_(clock),
        calls_(std::move(calls)),
        reach_(reach),
        secrets_(JobSecrets::Make(Topology(job.cluster()).processes())) {
    processes_.resize(secrets_.keys.size());
    Start(0);
  }
  void Start(int rank) {
    processes_[rank] = std::make_unique<JobProcess>(job_, PlaceOf(rank), calls_(rank), clock_);
  }
  ProcessPlace PlaceOf(int rank) const {
    ProcessPlace place = {rank, secrets_.ForRank(rank), std::nullopt};
    place.reach = reach_;
    if (rank > 0) place.coordinator = processes_[0]->stub().endpoint();
    return place;
  }
  void MeetAll() {
    std::vector<std::thread> threads;
    for (int rank = 1; rank < static_cast<int>(processes_.size()); ++rank) Start(rank);
    for (const auto& process : processes_)
      threads.emplace_back([&process] { EXPECT_NO_THROW(process->stub().Meet()); });
    for (std::thread& thread : threads) thread.join();
  }
  void Lose(int rank) { processes_[rank].reset(); }
  JobProcess& operator[](int rank) { return *processes_[rank]; }

 private:
  const JobProto job_;
  const Clock* const clock_;
  const std::function<JobCalls(int)> calls_;
  const Reach reach_;
  const JobSecrets secrets_;
  std::vector<std::unique_ptr<JobProcess>> processes_;
};

// Keeps events of groups until all of them have come.
class Heard final : public GroupEvents {
 public:
  void OnSteps(int group, int64_t steps) override { Note(StrCat("steps ", group, " ", steps)); }
  void OnLeft(int group) override { Note(StrCat("left ", group)); }
  void OnAllowed(int group, int64_t steps) override { Note(StrCat("allowed ", group, " ", steps)); }
  void OnReplaced(int group, int64_t steps) override {
    Note(StrCat("replaced ", group, " ", steps));
  }
  void OnRow(const ControlMessage::Row& row) override { Note(StrCat("row ", row.group())); }
  void OnFailure() override { Note("failure"); }
  void Await(const std::vector<std::string>& all) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return said_.size() >= all.size(); });
    EXPECT_EQ(said_, all);
  }

 private:
  void Note(std::string text) {
    const std::lock_guard lock(mutex_);
    said_.push_back(std::move(text));
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> said_;
};

}  // namespace singa
