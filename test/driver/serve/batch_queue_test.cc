#include "driver/serve/batch_queue.h"

#include <gtest/gtest.h>

#include "base/thread/thread.h"

namespace singa {
namespace {

std::shared_ptr<BatchTask> TaskOf(int64_t records) {
  const auto task = std::make_shared<BatchTask>();
  task->records = records;
  return task;
}

std::vector<int64_t> RecordsOf(const BatchTasks& tasks) {
  std::vector<int64_t> records;
  for (const auto& task : tasks) records.push_back(task->records);
  return records;
}

TEST(BatchQueueTest, GivesTheOldestTasksThatFitInABatch) {
  BatchQueue queue(8, 100);
  for (const int64_t records : {3, 4, 2, 6, 1}) EXPECT_TRUE(queue.Add(TaskOf(records)));
  EXPECT_EQ(queue.records(), 16);
  EXPECT_EQ(RecordsOf(queue.Take()), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(RecordsOf(queue.Take()), (std::vector<int64_t>{2, 6}));
  EXPECT_EQ(RecordsOf(queue.Take()), (std::vector<int64_t>{1}));
  EXPECT_EQ(queue.records(), 0);
}

TEST(BatchQueueTest, GivesATaskThatIsLargerThanABatch) {
  BatchQueue queue(8, 100);
  for (const int64_t records : {20, 1}) queue.Add(TaskOf(records));
  EXPECT_EQ(RecordsOf(queue.Take()), (std::vector<int64_t>{20}));
}

TEST(BatchQueueTest, HasRoomForSoManyRecordsOrOneTask) {
  BatchQueue queue(8, 10);
  EXPECT_TRUE(queue.Add(TaskOf(20)));
  EXPECT_FALSE(queue.Add(TaskOf(1)));
  queue.Take();
  EXPECT_TRUE(queue.Add(TaskOf(4)));
  EXPECT_TRUE(queue.Add(TaskOf(6)));
  EXPECT_FALSE(queue.Add(TaskOf(1)));
}

TEST(BatchQueueTest, DropsATaskThatNobodyWaitsFor) {
  BatchQueue queue(8, 10);
  const auto dropped = TaskOf(7), kept = TaskOf(3);
  queue.Add(dropped);
  queue.Add(kept);
  queue.Drop(*dropped);
  EXPECT_EQ(queue.records(), 3);
  EXPECT_EQ(RecordsOf(queue.Take()), (std::vector<int64_t>{3}));
  queue.Drop(*kept);  // is taken
  EXPECT_EQ(queue.records(), 0);
}

TEST(BatchQueueTest, GivesWhatWaitsAfterItsEnd) {
  BatchQueue queue(8, 10);
  queue.Add(TaskOf(5));
  queue.End();
  EXPECT_FALSE(queue.Add(TaskOf(1)));
  EXPECT_EQ(RecordsOf(queue.Take()), (std::vector<int64_t>{5}));
  EXPECT_TRUE(queue.Take().empty());
}

TEST(BatchQueueTest, AThreadThatWaitsGetsTheTask) {
  BatchQueue queue(8, 10);
  BatchTasks taken;
  std::thread thread = StartThread([&] { taken = queue.Take(); });
  queue.Add(TaskOf(7));
  thread.join();
  EXPECT_EQ(RecordsOf(taken), (std::vector<int64_t>{7}));
}

}  // namespace
}  // namespace singa
