// TableJob makes a job that learns from a table.
#pragma once

#include "driver/new_job/job_request.h"

namespace singa {

// Writes train.csv and test.csv to request.fresh. Returns the job's text. Throws DataError,
// FileError.
NewJobText TableJob(const JobRequest& request);

}  // namespace singa
