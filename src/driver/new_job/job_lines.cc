#include "driver/new_job/job_lines.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "io/store/store.h"
#include "singa/base/error.h"

namespace singa {

JobSchedule ScheduleFor(int64_t records, int64_t least_batch, int64_t most_batch, int64_t steps,
                        int64_t most_epochs) {
  constexpr int64_t kStepsOfEpoch = 16, kLeastEpochs = 5;
  JobSchedule schedule = {.batch = least_batch};
  while (schedule.batch < most_batch && records / (2 * schedule.batch) >= kStepsOfEpoch)
    schedule.batch *= 2;
  schedule.epochs = std::clamp(steps * schedule.batch / records, kLeastEpochs, most_epochs);
  return schedule;
}

std::string ConfNumber(double number) {
  constexpr int kDigits = 8;
  char text[32];
  const auto end =
      std::to_chars(text, std::end(text), number, std::chars_format::general, kDigits).ptr;
  return {text, end};
}

std::string JobHead(const std::string& dir, const std::string& about, int64_t epochs,
                    const std::string& rate) {
  constexpr int64_t kTests = 10;
  const std::string name = std::filesystem::path(dir).filename().string();
  return StrCat(
      "# ", Printable(about),
      "\n# Both layers data must read their columns or pictures in the same way.\n",
      "name: ", QuotedText(name), "\ntrain_epochs: ", epochs,
      "  # passes over the training records; fewer are better if the test loss "
      "grows\ntest_epochs: ",
      std::max<int64_t>(1, epochs / kTests),
      "  # passes between two tests\ncheckpoint_best: \"loss\"  # of the tests; singa predict "
      "-checkpoint ",
      Printable(ShellWord(dir + "/run/checkpoint/best")),
      " uses it\ntrain_one_batch { alg: kBP }\n",
      "updater { type: kAdam learning_rate { type: kFixed base_lr: ", rate, " } }\nneuralnet {\n");
}

std::string JobTail(const std::string& dir) {
  return StrCat("}\n# The folder for metrics and checkpoints, which singa predict reads.\n",
                "cluster { workspace: ", QuotedText(dir + "/run"), " }\n");
}

std::string NormalisingLines(const StoreStatistics& s, const std::string& indent) {
  constexpr size_t kMost = 10'000;
  const auto deviation = [](const NumberStatistics& n) { return n.std > 0 ? n.std : 1; };
  if (s.channels.empty() || s.channels.size() > kMost)
    return StrCat(indent, "mean_value: ", ConfNumber(s.mean),
                  " std_value: ", ConfNumber(deviation(s)), "\n");
  std::string means, deviations;
  for (const NumberStatistics& channel : s.channels) {
    means += (means.empty() ? "" : ", ") + ConfNumber(channel.mean);
    deviations += (deviations.empty() ? "" : ", ") + ConfNumber(deviation(channel));
  }
  return StrCat(indent, "channel_mean: [", means, "]\n", indent, "channel_std: [", deviations,
                "]\n");
}

std::string ShellWord(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:,@%=";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace singa
