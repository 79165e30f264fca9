// These functions make parts of a job.conf.
#pragma once

#include <cstdint>
#include <string>

#include "io/store/store_statistics.h"

namespace singa {

// Batch and epochs that fit a number of records: about so many steps.
struct JobSchedule {
  int64_t batch = 0, epochs = 0;
};
JobSchedule ScheduleFor(int64_t records, int64_t least_batch, int64_t most_batch, int64_t steps,
                        int64_t most_epochs);

// Returns a finite number as a conf has it, with 8 digits.
std::string ConfNumber(double number);

// Returns the first lines of a job, up to the net. `about`: what it learns, for a comment.
std::string JobHead(const std::string& dir, const std::string& about, int64_t epochs,
                    const std::string& rate);
// Returns the last line of a job.
std::string JobTail(const std::string& dir);

// Returns channel_mean and channel_std, each in a line that begins with `indent`. If there are too
// many channels for a conf, one mean and one deviation serve all.
std::string NormalisingLines(const StoreStatistics& s, const std::string& indent);

// Returns a word of a command line as a shell reads it.
std::string ShellWord(const std::string& word);

}  // namespace singa
