#include "driver/report/prediction_sink.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "math/finite.h"
#include "singa/base/error.h"

namespace singa {

std::string NamedRecord(const std::string& name) { return "record " + name; }

void PredictionSink::Write(const std::string& record, int64_t step, const Truth& truth,
                           std::span<const float> scores) {
  Context ctx;
  if (!AllFinite(ctx, scores.data(), static_cast<int64_t>(scores.size())) && ++not_finite_ == 1)
    first_not_finite_ = record;
  Put(record, step, truth, scores);
}

void PredictionSink::RequireFinite(const std::string& layer) const {
  if (not_finite_ == 0) return;
  throw DivergedError(StrCat(Printable(NamedRecord(first_not_finite_)), ": the scores of layer \"",
                             layer, "\" are not finite",
                             not_finite_ > 1
                                 ? StrCat("; so are those of ", not_finite_ - 1, " lines more")
                                 : std::string()));
}

void WriteToStdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0)
    throw FileError(kExitIo, "stdout", std::strerror(errno));
}

}  // namespace singa
