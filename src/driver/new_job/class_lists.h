// ClassLists writes the pictures of class folders to lists for training and test.
#pragma once

#include <string>
#include <vector>

#include "driver/new_job/job_request.h"

namespace singa {

// Writes train.list and test.list to request.fresh, and adds notes. Names in them are relative to
// the folder of the pictures. Returns the words that stand as labels. Throws DataError, FileError.
std::vector<std::string> WriteClassLists(const JobRequest& request,
                                         std::vector<std::string>* notes);

inline constexpr char kTrainList[] = "train.list", kTestList[] = "test.list";

}  // namespace singa
