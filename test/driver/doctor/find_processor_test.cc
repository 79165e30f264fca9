#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "base/thread/core_binding.h"
#include "base/thread/omp_threads.h"
#include "driver/doctor/finding.h"
#include "driver/version.h"
#include "singa/base/str_cat.h"

namespace singa::find_processor {
namespace {

Finding Find(const std::string& name) {
  Findings found;
  FindProcessor(&found);
  for (const Finding& finding : found)
    if (finding.name == name) return finding;
  ADD_FAILURE() << "no " << name;
  return {"", ""};
}

// Sets a variable while it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(FindProcessor, HasItsPartsInOrder) {
  Findings found;
  FindProcessor(&found);
  std::vector<std::string> names;
  for (const Finding& finding : found) {
    names.push_back(finding.name);
    EXPECT_NE(finding.value, "") << finding.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"processor", "instruction set", "CPU features",
                                             "cores", "OpenMP threads", "computing"}));
}

TEST(FindProcessor, ThisMachineComputes) {
  EXPECT_EQ(Find("computing").status, Finding::kOk);
  EXPECT_EQ(Find("computing").value, "a product of matrices is right, a thread starts");
  EXPECT_EQ(Find("instruction set").value, InstructionSet());
}

TEST(FindProcessor, CountsTheCoresThatThisProcessMayUse) {
  EXPECT_EQ(Find("cores").value.rfind(StrCat(AffinityCores()), 0), 0u);
}

TEST(FindProcessor, WarnsOfThreadsThatSpinForLong) {
  const OmpThreads one(1);
  const Variable policy("OMP_WAIT_POLICY", "passive");
  {
    const Variable spin("GOMP_SPINCOUNT", "100001");
    const Finding found = Find("OpenMP threads");
    EXPECT_EQ(found.status, Finding::kWarn);
    EXPECT_NE(found.value.find(", OMP_WAIT_POLICY passive, GOMP_SPINCOUNT 100001"),
              std::string::npos)
        << found.value;
  }
  const Variable spin("GOMP_SPINCOUNT", "2000");
  const Variable active("OMP_WAIT_POLICY", "ACTIVE");
  EXPECT_EQ(Find("OpenMP threads").status, Finding::kWarn);
}

TEST(FindProcessor, WarnsOfMoreThreadsThanCores) {
  if (AllowedThreads(AffinityCores() + 1) <= AffinityCores())
    GTEST_SKIP() << "OMP_THREAD_LIMIT allows no more threads than cores";
  const OmpThreads more(AffinityCores() + 1);
  const Finding found = Find("OpenMP threads");
  EXPECT_EQ(found.status, Finding::kWarn);
  EXPECT_EQ(found.advice,
            StrCat("OMP_NUM_THREADS asks for more than the ", AffinityCores(), " cores: unset it"));
}

}  // namespace
}  // namespace singa::find_processor
