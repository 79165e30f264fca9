// CheckUnits judges partition_dim: 1, by which the workers of a group divide layers by units.
#pragma once

#include <string>

#include "driver/facts/conf_findings.h"
#include "nn/plan/net_builder.h"
#include "singa/proto/job.pb.h"

namespace singa {

// Returns why partition: kAuto divides all layers of the job by rows; "": it looks for a division.
std::string WhyNoChoice(const JobProto& job);

// Returns whether a layer names the batch size of each worker, which may be any numbers.
bool WorkersHaveOwnSizes(const NetProto& conf);

// Finds what is wrong where layers are divided as their partition_dim says, and warns of each layer
// of the conf whose partition_dim: 1 has no effect. `rows`: the options of the train net of one
// worker. REQUIRES: the net is sound if all layers are divided by rows.
ConfFindings CheckUnits(const JobProto& job, const NetOptions& rows);

}  // namespace singa
