#include "driver/doctor/doctor_command.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace singa {
namespace {

const Findings kFound = {{"cores", "2"},
                         {"a disk", "full", Finding::kWarn, "empty it"},
                         {"memory", "none", Finding::kFail, "buy \"some\""}};

TEST(Doctor, ShowsALineEach) {
  EXPECT_EQ(DoctorText(kFound),
            "ok    cores   2\n"
            "warn  a disk  full\n"
            "      -> empty it\n"
            "FAIL  memory  none\n"
            "      -> buy \"some\"\n"
            "No job can run here.\n");
  EXPECT_EQ(DoctorText({kFound[0]}), "ok    cores  2\nA job can run here.\n");
}

TEST(Doctor, SaysTheSameInJson) {
  const auto report = nlohmann::json::parse(DoctorJson(kFound));
  EXPECT_EQ(report["ok"], false);
  EXPECT_EQ(report["checks"][0],
            (nlohmann::json{{"name", "cores"}, {"status", "ok"}, {"value", "2"}}));
  EXPECT_EQ(report["checks"][2]["status"], "fail");
  EXPECT_EQ(report["checks"][2]["advice"], "buy \"some\"");
}

TEST(Doctor, ShowsSizesInTheirUnit) {
  EXPECT_EQ(SizeText(1000), "1000 B");
  EXPECT_EQ(SizeText(int64_t{3} << 29), "1.5 GiB");
}

}  // namespace
}  // namespace singa
