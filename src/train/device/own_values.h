// These functions copy what one worker of a group has for itself with kPartial, its values and
// updater states, between its device and the host.
#pragma once

#include <vector>

#include "comm/collective/slice_table.h"
#include "singa/tensor/context.h"

namespace singa {

// The tensors of each param in the order of the table: its values, then each state.
using ParamCopies = std::vector<std::vector<Tensor>>;

// Copies floats that lie by slice, [1 + states, floats] each, to the device.
void UploadOwnValues(const Context& ctx, const SliceTable& table, const std::vector<float>& from,
                     ParamCopies copies);
// Copies them to the host.
std::vector<float> DownloadOwnValues(const Context& ctx, const SliceTable& table,
                                     const ParamCopies& copies);

}  // namespace singa
