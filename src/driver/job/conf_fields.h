// ConfFields are the fields of a job.conf. A checkpoint stores them, and -resume names those that
// differ. The processes of a job compare them, too.
#pragma once

#include <map>
#include <string>

#include "singa/proto/job.pb.h"

namespace singa {

// Path as the user types it -> value as in a job.conf: "updater.momentum" -> "0.9". A list is one
// value, "[64, 3]"; a message without fields is "{}". A long value is cut and ends with its
// SHA-256.
using ConfFields = std::map<std::string, std::string>;

// Returns the fields that `job` sets. Leaves out fields that change no trained number, and those
// that a checkpoint's `run` has under another name.
ConfFields FieldsOf(const JobProto& job);

// Returns the fields in which all processes of a job are alike. The net is one field, "neuralnet",
// whose value is a hash: messages have a bound.
ConfFields CommonFieldsOf(JobProto job);

// Returns "updater.momentum was 0.9, is 0.5; seed was not given, is 3": ten fields, then the number
// of others. "": none differ.
std::string ChangedFields(const ConfFields& then, const ConfFields& now);

}  // namespace singa
