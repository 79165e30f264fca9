#include "driver/onnx/import/input_steps.h"

#include <cmath>

namespace singa {
namespace {

// Longest list of equal numbers that stands for one number.
constexpr int64_t kMostChannels = 64;

bool IsInput(const NodeImport& node) {
  const ImportValue& value = node.in(0);
  return value.form == ValueForm::kFeature && value.source == LayerOutput{0, 0} &&
         !node.graph().IsShared(0);
}

int64_t ChannelsOf(const Sizes& row) { return row.size() == 2 ? 1 : row[0]; }

// Returns the constant as one number, or one for each channel. Refuses others.
std::vector<float> ChannelValues(const NodeImport& node, const Sizes& row) {
  const Sizes dims = node.Weight(1).dims;
  size_t ones = 0;
  while (ones < dims.size() && dims[ones] == 1) ++ones;
  Sizes wanted(row.size(), 1);
  wanted[0] = ChannelsOf(row);
  const Sizes& read = node.in(0).dims;
  const bool fits =
      ProductOf(dims) == 1 || (SizesFrom(read, 1) == row && SizesFrom(dims, ones) == wanted);
  if (!fits || dims.size() > read.size())
    node.Refuse(StrCat("prepares the input with a constant of ", SizesText(dims),
                       "; the input layer takes one number, or one for each channel. For more, "
                       "set store_conf.mean_file and std_file, and remove the node"));
  std::vector<float> values = node.Floats(1);
  for (float value : values)
    if (!std::isfinite(value)) node.Refuse("prepares the input with a number that is not finite");
  return values;
}

// Sets one number for each channel.
void SetChannels(const NodeImport& node, const Sizes& row, const std::vector<float>& values,
                 google::protobuf::RepeatedField<float>* field) {
  const int64_t channels = ChannelsOf(row);
  if (std::ssize(values) != channels && channels > kMostChannels)
    node.Refuse("prepares the input a second time, for which the input layer has no field");
  for (int64_t c = 0; c < channels; ++c) field->Add(values[values.size() == 1 ? 0 : c]);
}

}  // namespace

bool ReadInputDifference(NodeImport* node) {
  if (!IsInput(*node)) return false;
  StoreProto& conf = node->graph().input_conf();
  const Sizes row = node->graph().ShapeOf({0, 0});
  const std::vector<float> values = ChannelValues(*node, row);
  if (conf.channel_mean_size() > 0 || conf.channel_std_size() > 0)
    node->Refuse("prepares the input a third time, for which the input layer has no field");
  if (values.size() == 1 && !conf.has_mean_value() && !conf.has_std_value())
    conf.set_mean_value(values[0]);
  else
    SetChannels(*node, row, values, conf.mutable_channel_mean());
  node->GiveSame(Sizes(node->FeatureDims(0)));
  return true;
}

bool ReadInputDivision(NodeImport* node) {
  if (!IsInput(*node)) return false;
  StoreProto& conf = node->graph().input_conf();
  const Sizes row = node->graph().ShapeOf({0, 0});
  const std::vector<float> values = ChannelValues(*node, row);
  for (float value : values)
    if (value == 0) node->Refuse("divides the input by 0");
  if (conf.channel_std_size() > 0)
    node->Refuse("prepares the input a third time, for which the input layer has no field");
  if (values.size() == 1 && !conf.has_std_value() && conf.channel_mean_size() == 0)
    conf.set_std_value(values[0]);
  else
    SetChannels(*node, row, values, conf.mutable_channel_std());
  node->GiveSame(Sizes(node->FeatureDims(0)));
  return true;
}

}  // namespace singa
