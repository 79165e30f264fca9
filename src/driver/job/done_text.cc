#include "driver/job/done_text.h"

#include "base/text/counted.h"
#include "driver/job/job_rows.h"
#include "driver/workspace/progress.h"
#include "singa/base/str_cat.h"

namespace singa {

std::string DoneText(WorkerGroups* groups, int64_t before, int64_t steps, double seconds,
                     const std::string& test) {
  const int64_t skipped = groups->teams().CountSkips(), bad = CountBadRecords(groups);
  return StrCat("done: ", Counted(steps - before, "step"), " in ", DurationText(seconds),
                before > 0 ? StrCat(" since step ", before, ", ", steps, " in all") : "",
                skipped > 0 ? StrCat("; ", skipped, " skipped") : "",
                bad > 0 ? StrCat("; ", Counted(bad, "bad record"), " skipped") : "",
                test.empty() ? "" : "; test ", test);
}

}  // namespace singa
