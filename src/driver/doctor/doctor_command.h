// `singa doctor` reports what this machine has, and whether a job can run on it.
#pragma once

#include <string>

#include "driver/doctor/finding.h"

namespace singa {

// Return the report as lines for people, or as one JSON object.
std::string DoctorText(const Findings& found);
std::string DoctorJson(const Findings& found);

// Prints the report on stdout. Returns kExitOk, or kExitNoDevice if no job can run.
int DoctorCommand(bool json);

}  // namespace singa
