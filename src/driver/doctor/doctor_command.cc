#include "driver/doctor/doctor_command.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text/json_text.h"
#include "driver/command/subcommand.h"
#include "singa/base/error.h"

namespace singa {
namespace {

const char* StatusText(Finding::Status status) {
  constexpr const char* kTexts[] = {"ok", "warn", "FAIL"};
  return kTexts[status];
}

bool CanRun(const Findings& found) {
  return std::none_of(found.begin(), found.end(),
                      [](const Finding& finding) { return finding.status == Finding::kFail; });
}

}  // namespace

std::string DoctorText(const Findings& found) {
  size_t width = 0;
  for (const Finding& finding : found) width = std::max(width, finding.name.size());
  std::string text;
  for (const Finding& finding : found) {
    const std::string status = StatusText(finding.status);
    text += status + std::string(6 - status.size(), ' ') + finding.name +
            std::string(width + 2 - finding.name.size(), ' ') + finding.value + "\n";
    if (!finding.advice.empty()) text += "      -> " + finding.advice + "\n";
  }
  return text + (CanRun(found) ? "A job can run here.\n" : "No job can run here.\n");
}

std::string DoctorJson(const Findings& found) {
  nlohmann::ordered_json report;
  report["ok"] = CanRun(found);
  report["checks"] = nlohmann::ordered_json::array();
  for (const Finding& finding : found) {
    nlohmann::ordered_json line;
    line["name"] = finding.name;
    line["status"] = finding.status == Finding::kFail ? "fail" : StatusText(finding.status);
    line["value"] = finding.value;
    if (!finding.advice.empty()) line["advice"] = finding.advice;
    report["checks"].push_back(line);
  }
  return JsonText(report, 2) + "\n";
}

int DoctorCommand(bool json) {
  Findings found;
  FindVersions(&found);
  FindProcessor(&found);
  FindMemory(&found);
  FindLimits(&found);
  FindFiles(&found);
  FindSystem(&found);
  FindBackends(&found);
  FindGpus(&found);
  std::fputs((json ? DoctorJson(found) : DoctorText(found)).c_str(), stdout);
  return CanRun(found) ? kExitOk : kExitNoDevice;
}

namespace {

constexpr const char* kDoctorHelp = R"(usage: singa doctor [-json]

Prints what this build and this machine have, one line each: versions, processor, cores, threads,
memory, limits, disk, clock, GPU, programs. Each line is ok, warn or FAIL. Below a line that is not
ok, another line says what to do. Run it where the job will run, in its folder.

  -json   one JSON object: {"ok":true,"checks":[{"name":"cores","status":"ok","value":"2"},...]}

Exit code 0: a job can run here, perhaps with warnings; 69: none can.
)";

SINGA_REGISTER_SUBCOMMAND(doctor,
                          {.place = 90,
                           .name = "doctor",
                           .operands = "",
                           .brief = "show what this machine has, and whether a job can run on it",
                           .reads = Subcommand::kNothing,
                           .options = {"json"},
                           .alone = false,
                           .help = kDoctorHelp,
                           .run = [](const CommandLine& line) {
                             return DoctorCommand(line.json);
                           }});

}  // namespace

}  // namespace singa
