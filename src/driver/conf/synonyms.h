// Names that users of Caffe, PyTorch and Keras know, and what SINGA calls the same.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>

namespace singa {

// The value of `type`, or the field of it, that `name` means elsewhere; "": none is known.
std::string SynonymOf(const google::protobuf::EnumDescriptor& type, const std::string& name);
std::string SynonymOf(const google::protobuf::Descriptor& type, const std::string& name);
// Advice where `name` is a field elsewhere and `type` needs none; "": nothing is known.
std::string InsteadOf(const google::protobuf::Descriptor& type, const std::string& name);

}  // namespace singa
