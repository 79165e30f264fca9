#include "io/store/store_statistics.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iterator>
#include <limits>

#include "base/text/counted.h"
#include "base/text/short_text.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostRows = 1000;           // of a table
constexpr size_t kMostChannels = 1'000'000;  // that are measured
constexpr size_t kChannelRows = 20, kRowsAtEachEnd = 8;
constexpr size_t kMostPastedMeans = 100;  // numbers of a channel_mean that is printed

// Sums of x and x^2 about a first guess of the mean, which avoids cancellation.
class Moments {
 public:
  template <typename T>
  void Add(std::span<const T> numbers) {
    if (count_ == 0 && !numbers.empty()) guess_ = static_cast<double>(numbers[0]);
    for (T number : numbers) {
      const double x = static_cast<double>(number);
      min_ = std::min(min_, x);
      max_ = std::max(max_, x);
      sum_ += x - guess_;
      squares_ += (x - guess_) * (x - guess_);
    }
    count_ += static_cast<double>(numbers.size());
  }

  void Write(NumberStatistics* to) const {
    if (count_ == 0) return;
    const double mean = sum_ / count_;
    to->min = min_;
    to->max = max_;
    to->mean = guess_ + mean;
    to->std = std::sqrt(std::max(0., squares_ / count_ - mean * mean));
  }

 private:
  double count_ = 0, guess_ = 0, sum_ = 0, squares_ = 0;
  double min_ = std::numeric_limits<double>::infinity(), max_ = -min_;
};

// Returns the number of channels of a record; 0: it has none.
size_t ChannelsOf(const Sample& sample) {
  const bool shaped = sample.ShapeFits() && sample.shape.size() > 1;
  if (shaped && sample.shape.size() != 3) return 0;
  const auto channels = static_cast<size_t>(shaped ? sample.shape[0] : sample.size());
  return channels <= kMostChannels ? channels : 0;
}

// The moments of each channel, while all records have as many.
class ChannelMoments {
 public:
  void Add(const Sample& sample) {
    const size_t channels = ChannelsOf(sample);
    if (first_) channels_.resize(channels);
    first_ = false;
    if (channels != channels_.size()) channels_.clear();
    if (channels_.empty()) return;
    const size_t size = static_cast<size_t>(sample.size()) / channels_.size();
    for (size_t i = 0; i < channels_.size(); ++i) {
      if (sample.data.empty())
        channels_[i].Add(sample.pixel.subspan(i * size, size));
      else
        channels_[i].Add(sample.data.subspan(i * size, size));
    }
  }

  void Write(std::vector<NumberStatistics>* to) const {
    to->resize(channels_.size());
    for (size_t i = 0; i < channels_.size(); ++i) channels_[i].Write(&(*to)[i]);
  }

 private:
  std::vector<Moments> channels_;
  bool first_ = true;
};

// Widens the range of shapes by a record's shape. `first`: it is the first record.
void AddShape(const Sample& sample, bool first, StoreStatistics* s) {
  const bool fits = sample.ShapeFits();
  s->shaped = s->shaped || fits;
  s->pictures = s->pictures && sample.decoded;
  if (first && fits) {
    s->shape.assign(sample.shape.begin(), sample.shape.end());
    s->most_shape = s->shape;
  }
  if (!fits || s->shape.size() != sample.shape.size()) {
    s->shape.clear();
    s->most_shape.clear();
  }
  for (size_t i = 0; i < s->shape.size(); ++i) {
    s->shape[i] = std::min(s->shape[i], sample.shape[i]);
    s->most_shape[i] = std::max(s->most_shape[i], sample.shape[i]);
  }
}

// Adds each target of a record. Throws DataError if the record has not as many as the first one.
void AddTargets(const Sample& sample, int64_t index, const Store& store,
                std::vector<Moments>* targets) {
  if (index == 0) targets->resize(sample.targets.size());
  if (targets->size() != sample.targets.size())
    throw DataError(store.Where(index), -1,
                    StrCat("has ", Counted(std::ssize(sample.targets), "target"),
                           ", the first record ", targets->size()));
  for (size_t i = 0; i < targets->size(); ++i) (*targets)[i].Add(sample.targets.subspan(i, 1));
}

}  // namespace

StoreStatistics Measure(Store* store) {
  StoreStatistics s;
  Moments moments;
  ChannelMoments channels;
  std::vector<Moments> targets;
  s.records = store->size();
  s.least_size = std::numeric_limits<int64_t>::max();
  for (int64_t i = 0; i < s.records; ++i) {
    const Sample& sample = store->Read(i);
    AddShape(sample, i == 0, &s);
    s.least_size = std::min(s.least_size, sample.size());
    s.most_size = std::max(s.most_size, sample.size());
    ++s.labels[sample.label];
    AddTargets(sample, i, *store, &targets);
    channels.Add(sample);
    if (sample.data.empty())
      moments.Add(sample.pixel);
    else
      moments.Add(sample.data);
  }
  moments.Write(&s);
  channels.Write(&s.channels);
  s.classes = store->classes();
  s.names = store->columns();
  s.names.resize(std::min(s.names.size(), s.channels.size()));
  s.targets.resize(targets.size());
  for (size_t i = 0; i < targets.size(); ++i) targets[i].Write(&s.targets[i]);
  return s;
}

namespace {

void WriteSides(const std::vector<int32_t>& shape, std::ostream& out) {
  for (size_t i = 0; i < shape.size(); ++i) out << (i ? ", " : "") << shape[i];
}

// Writes the shape of all records, or the range of their shapes.
void WriteShape(const StoreStatistics& s, std::ostream& out) {
  const std::vector<int32_t>&least = s.shape, &most = s.most_shape;
  if (least.empty()) {
    out << (s.shaped ? "not one for all records" : "not given");
  } else if (least == most) {
    WriteSides(least, out);
  } else if (s.pictures && least.size() == 3 && least[0] == most[0]) {
    out << Counted(least[0], "channel") << ", sizes from " << least[2] << " x " << least[1]
        << " to " << most[2] << " x " << most[1] << " pixels";
  } else {
    WriteSides(least, out << "from ");
    WriteSides(most, out << " to ");
  }
}

void WriteTitles(const char* what, std::ostream& out) {
  out << std::left << "\n" << std::setw(9) << what;
  for (const char* name : {"min", "max", "mean"}) out << std::setw(17) << name;
  out << "std\n";
}

void WriteRow(size_t index, const NumberStatistics& row, const std::string& name,
              std::ostream& out) {
  out << std::setw(9) << index;
  for (double number : {row.min, row.max, row.mean}) out << std::setw(17) << number;
  if (!name.empty()) out << std::setw(17);
  out << row.std << name << "\n";
}

// Writes a row for each target.
void WriteTargets(const std::vector<NumberStatistics>& targets, std::ostream& out) {
  if (targets.empty()) return;
  WriteTitles("target", out);
  for (size_t i = 0; i < std::min(targets.size(), kMostRows); ++i) WriteRow(i, targets[i], "", out);
  if (targets.size() > kMostRows) out << "and " << targets.size() - kMostRows << " more targets\n";
}

// Writes a field of a store_conf.
template <typename GetNumber>
void WriteField(const char* name, const StoreStatistics& s, const GetNumber& get,
                std::ostream& out) {
  out << name << ": [";
  for (size_t i = 0; i < s.channels.size(); ++i) out << (i ? ", " : "") << get(s.channels[i]);
  out << "]\n";
}

// Writes a row for each channel, or for the first and the last ones. The deviation of equal numbers
// is 0, by which no reader divides; 1 is written in the field.
void WriteChannels(const StoreStatistics& s, std::ostream& out) {
  const size_t count = s.channels.size();
  if (count == 0) return;
  WriteTitles("channel", out);
  for (size_t i = 0; i < count; ++i) {
    if (count > kChannelRows && i == kRowsAtEachEnd) {
      i = count - kRowsAtEachEnd;
      out << "... " << count - 2 * kRowsAtEachEnd << " more channels\n";
    }
    WriteRow(i, s.channels[i], i < s.names.size() ? ShortText(Printable(s.names[i]), 40) : "", out);
  }
  if (count > kMostPastedMeans) return;
  out << "\n";
  WriteField(
      "channel_mean", s, [](const NumberStatistics& n) { return n.mean; }, out);
  WriteField(
      "channel_std", s, [](const NumberStatistics& n) { return n.std > 0 ? n.std : 1; }, out);
}

// Writes a row for each label, with the name of its class if there is one.
void WriteLabels(const StoreStatistics& s, std::ostream& out) {
  out << "\nlabel    records" << (s.classes.empty() ? "" : "  class") << "\n";
  size_t lines = 0;
  for (const auto& [label, records] : s.labels) {
    if (++lines > kMostRows) break;
    out << std::left << std::setw(9) << (label == kNoLabel ? "none" : std::to_string(label));
    if (label >= 0 && label < std::ssize(s.classes))
      out << std::setw(9) << records << ShortText(Printable(s.classes[label]), 40) << "\n";
    else
      out << records << "\n";
  }
  if (lines > kMostRows) out << "and " << s.labels.size() - kMostRows << " more labels\n";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const StoreStatistics& s) {
  out << "records  " << s.records << "\nnumbers  " << s.least_size;
  if (s.most_size != s.least_size) out << " to " << s.most_size;
  out << "\nshape    ";
  WriteShape(s, out);
  out << std::setprecision(8) << "\nmin      " << s.min << "\nmax      " << s.max << "\nmean     "
      << s.mean << "\nstd      " << s.std << "\n";
  WriteChannels(s, out);
  WriteTargets(s.targets, out);
  WriteLabels(s, out);
  return out;
}

}  // namespace singa
