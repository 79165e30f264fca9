#include "io/store/store_statistics.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iterator>
#include <limits>

#include "base/text/counted.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr size_t kMostRows = 1000;  // of a table

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
    if (sample.data.empty())
      moments.Add(sample.pixel);
    else
      moments.Add(sample.data);
  }
  moments.Write(&s);
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

// Writes a row for each target.
void WriteTargets(const std::vector<NumberStatistics>& targets, std::ostream& out) {
  if (targets.empty()) return;
  out << std::left << "\n" << std::setw(9) << "target";
  for (const char* name : {"min", "max", "mean"}) out << std::setw(17) << name;
  out << "std\n";
  for (size_t i = 0; i < std::min(targets.size(), kMostRows); ++i) {
    const NumberStatistics& t = targets[i];
    out << std::setw(9) << i;
    for (double number : {t.min, t.max, t.mean}) out << std::setw(17) << number;
    out << t.std << "\n";
  }
  if (targets.size() > kMostRows) out << "and " << targets.size() - kMostRows << " more targets\n";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const StoreStatistics& s) {
  out << "records  " << s.records << "\nnumbers  " << s.least_size;
  if (s.most_size != s.least_size) out << " to " << s.most_size;
  out << "\nshape    ";
  WriteShape(s, out);
  out << std::setprecision(8) << "\nmin      " << s.min << "\nmax      " << s.max << "\nmean     "
      << s.mean << "\nstd      " << s.std << "\n";
  WriteTargets(s.targets, out);
  out << "\nlabel    records\n";
  size_t lines = 0;
  for (const auto& [label, records] : s.labels) {
    if (++lines > kMostRows) break;
    out << std::left << std::setw(9) << (label == kNoLabel ? "none" : std::to_string(label))
        << records << "\n";
  }
  if (lines > kMostRows) out << "and " << s.labels.size() - kMostRows << " more labels\n";
  return out;
}

}  // namespace singa
