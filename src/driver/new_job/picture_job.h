// PictureJob makes a job that learns from a folder with a folder of pictures for each class.
#pragma once

#include "driver/new_job/job_request.h"

namespace singa {

// Writes train.list and test.list to request.fresh. Returns the job's text. Throws DataError,
// FileError.
NewJobText PictureJob(const JobRequest& request);

}  // namespace singa
