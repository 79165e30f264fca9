// These functions translate names of Caffe, PyTorch and Keras to SINGA's names.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>

namespace singa {

// Returns the value, or the field, of `type` that `name` of another system means; "": none is
// known.
std::string SynonymOf(const google::protobuf::EnumDescriptor& type, const std::string& name);
std::string SynonymOf(const google::protobuf::Descriptor& type, const std::string& name);
// Returns advice if `name` is a field of other systems that `type` does not need; "": nothing is
// known.
std::string InsteadOf(const google::protobuf::Descriptor& type, const std::string& name);

}  // namespace singa
