#include "driver/board/row_index.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>

#include "io/metrics/read_rows.h"

namespace singa {
namespace {

constexpr int64_t kBlock = int64_t{2} << 20;     // bytes that are read at once
constexpr size_t kTail = 512;                    // bytes by which a changed file is found
constexpr size_t kMostSeries = 20'000;           // rows of further series are left out
constexpr size_t kMostLines = size_t{64} << 20;  // bytes of all lines that are returned together
constexpr int64_t kGap = int64_t{1} << 12;       // bytes between rows that are read with them

void AppendNumber(int64_t number, std::string* text) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  text->append(digits, end);
}

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

RowIndex::RowIndex(const WorkspaceFiles* files) : files_(*files), generation_(std::time(nullptr)) {}

double RowIndex::changed() const {
  return static_cast<double>(status_.st_mtim.tv_sec) +
         static_cast<double>(status_.st_mtim.tv_nsec) * 1e-9;
}

void RowIndex::Clear() {
  status_ = {};
  end_ = malformed_ = samples_ = 0;
  tail_.clear();
  skips_ = false;
  rows_.clear();
  series_.clear();
  by_name_.clear();
  ++generation_;
}

// Returns whether the bytes that were read before are still in the file.
bool RowIndex::Continues(const WorkspaceFile& file) const {
  if (!SameFile(file.status, status_) || file.size() < end_) return false;
  const auto n = static_cast<int64_t>(tail_.size());
  return file.Read(end_ - n, n) == tail_;
}

void RowIndex::Update() {
  const std::optional<WorkspaceFile> file = files_.Open("metrics.jsonl");
  if (!file) {
    if (status_.st_ino != 0) Clear();
    return;
  }
  if (Unchanged(file->status, status_)) return;
  if (status_.st_ino != 0 && !Continues(*file)) Clear();
  ReadNew(*file);
  status_ = file->status;
}

void RowIndex::ReadNew(const WorkspaceFile& file) {
  std::string text;
  while (end_ < file.size()) {
    file.ReadTo(end_, std::min(kBlock, file.size() - end_), &text);
    const size_t newline = text.rfind('\n');
    if (newline == std::string::npos) {
      // A row that is not written to its end yet waits for it.
      if (static_cast<int64_t>(text.size()) <= kMostRowBytes) return;
      skips_ = true;
      end_ += static_cast<int64_t>(text.size());
      tail_ = text.substr(text.size() - kTail);
      continue;
    }
    const std::string_view lines = std::string_view(text).substr(0, newline + 1);
    AddLines(lines);
    end_ += static_cast<int64_t>(lines.size());
    tail_ = lines.substr(lines.size() - std::min(lines.size(), kTail));
  }
}

// `text`: whole lines, which begin at end_.
void RowIndex::AddLines(std::string_view text) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (skips_)
      ++malformed_;
    else
      AddLine(text.substr(begin, end - begin), end_ + static_cast<int64_t>(begin));
    skips_ = false;
    begin = end + 1;
  }
}

void RowIndex::AddLine(std::string_view line, int64_t offset) {
  if (line.empty()) return;
  std::optional<RowOutline> head;
  if (static_cast<int64_t>(line.size()) <= kMostRowBytes) head = ReadRowOutline(line);
  const int number = head ? FindSeries(*head) : -1;
  if (number < 0) {
    ++malformed_;
    return;
  }
  RowSeries& series = series_[static_cast<size_t>(number)];
  if (series.rows++ == 0) series.first = rows();
  series.newest = rows();
  series.step = head->step;
  series.bytes_sent += head->bytes_sent;
  series.bytes_received += head->bytes_received;
  constexpr size_t kMostSamples = 32;
  if (series.keys.size() < kMostSamples &&
      std::find(series.keys.begin(), series.keys.end(), head->keys) == series.keys.end()) {
    series.keys.push_back(head->keys);
    series.samples.push_back(rows());
    ++samples_;
  }
  rows_.push_back({offset, number, head->loss});
}

// Returns the number of a row's series; -1: there are too many.
int RowIndex::FindSeries(const RowOutline& head) {
  name_.assign(head.phase);
  name_ += '"';
  name_.append(head.layer);
  name_ += '"';
  AppendNumber(head.group, &name_);
  name_ += ' ';
  AppendNumber(head.rank, &name_);
  if (const auto found = by_name_.find(name_); found != by_name_.end()) return found->second;
  if (series_.size() == kMostSeries) return -1;
  RowSeries& added = series_.emplace_back();
  added.phase = head.phase;
  added.layer = head.layer;
  added.group = head.group;
  added.rank = head.rank;
  return by_name_[name_] = static_cast<int>(series_.size()) - 1;
}

std::vector<std::string> RowIndex::Lines(const std::vector<int64_t>& wanted) const {
  std::vector<std::string> lines(wanted.size());
  if (wanted.empty()) return lines;
  const std::optional<WorkspaceFile> file = files_.Open("metrics.jsonl");
  if (!file || !SameFile(file->status, status_)) return lines;
  const auto begin = [&](int64_t row) { return rows_[static_cast<size_t>(row)].offset; };
  const auto end = [&](int64_t row) {
    const int64_t next = row + 1 < rows() ? begin(row + 1) : end_;
    return std::min(next, begin(row) + kMostRowBytes + 1);
  };
  size_t bytes = 0;
  for (size_t i = 0; i < wanted.size();) {
    // Rows that stand near each other are read together.
    size_t last = i;
    while (last + 1 < wanted.size() && begin(wanted[last + 1]) - end(wanted[last]) <= kGap &&
           end(wanted[last + 1]) - begin(wanted[i]) <= kBlock)
      ++last;
    const int64_t from = begin(wanted[i]);
    const std::string text = file->Read(from, end(wanted[last]) - from);
    for (; i <= last; ++i) {
      const auto at = static_cast<size_t>(begin(wanted[i]) - from);
      if (at >= text.size()) continue;
      const size_t newline = text.find('\n', at);
      if (newline != std::string::npos) lines[i] = text.substr(at, newline - at);
    }
    bytes += text.size();
    if (bytes < kMostLines) continue;
    lines.resize(i);
    break;
  }
  return lines;
}

}  // namespace singa
