// The fields of a job.conf that a checkpoint keeps, so that -resume can name those that differ.
#pragma once

#include <map>
#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// Path in the user's form -> value as job.conf writes it: "updater.momentum" -> "0.9". A list is
// one value, "[64, 3]"; a message without fields is "{}". A long value is cut and ends with its
// SHA-256.
using ConfFields = std::map<std::string, std::string>;

// The fields that `job` sets, but for those that change no number that is trained, and those that a
// checkpoint's `run` has under another name.
ConfFields FieldsOf(const JobProto& job);

// "updater.momentum was 0.9, is 0.5; seed was not given, is 3": ten fields, then how many more. "":
// none differ.
std::string ChangedFields(const ConfFields& then, const ConfFields& now);

}  // namespace singa
