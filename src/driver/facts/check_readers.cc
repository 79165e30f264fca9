#include "driver/facts/check_readers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "singa/base/error.h"
#include "singa/nn/layer.h"

namespace singa {
namespace {

constexpr float kMostLabel = 1 << 24;  // indices are exact below it

// A port with one row of numbers. Its label is the first of them.
struct OneRow {
  explicit OneRow(std::vector<float> numbers) : values(std::move(numbers)) {
    if (std::abs(values[0]) < kMostLabel) label = static_cast<int32_t>(values[0]);
    port.data.SetShape({1, static_cast<int64_t>(values.size())});
    port.data.Bind(values.data());
    port.label.SetShape({1}, DType::kI32);
    port.label.Bind(&label);
  }

  std::vector<float> values;
  int32_t label = -1;
  Port port;
};

// Returns whether the node makes labels of its only source.
bool MakesLabels(const NetNode& node) {
  return node.in.size() == 1 && node.out.size() == 1 && node.out[0]->has_label();
}

}  // namespace

std::vector<std::string> CheckReaders(Net* net, const std::string& read,
                                      std::vector<float> numbers) {
  std::vector<std::string> reads = {read}, found;
  for (const NetNode& node : net->nodes())
    if (MakesLabels(node) && node.conf.srclayers_size() == 1 && node.conf.srclayers(0) == read)
      reads.push_back(node.name);
  OneRow row(std::move(numbers));
  for (NetNode& node : net->nodes()) {
    const std::vector<Port*> in(node.in.size(), &row.port);
    for (int s = 0; s < std::min(node.conf.srclayers_size(), 32); ++s) {
      const bool checks = (node.traits.checks >> s & 1) != 0 && !node.conf.has_user_type();
      if (!checks || std::ranges::find(reads, node.conf.srclayers(s)) == reads.end()) continue;
      try {
        node.layer->CheckInputs(net->phase(), in);
      } catch (const Error& error) {
        if (std::ranges::find(found, error.what()) == found.end()) found.emplace_back(error.what());
      }
    }
  }
  return found;
}

}  // namespace singa
