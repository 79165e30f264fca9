#include "nn/plan/check_inputs.h"

#include <string>
#include <utility>

#include "nn/feature/labels.h"
#include "nn/feature/row_index.h"
#include "nn/feature/targets.h"
#include "nn/plan/net_sources.h"
#include "singa/base/error.h"
#include "singa/nn/record_reader.h"

namespace singa {
namespace {

// File and number of a record; ("", -1): no store gave it.
using RecordPlace = std::pair<std::string, int64_t>;

RecordPlace RecordOfRow(const NetNode& input, int64_t row) {
  const RecordReader* const reader = input.layer->reader();
  return reader ? reader->RecordOfRow(row) : RecordPlace("", -1);
}

// Returns the record that gave row `row` of the numbers that `node` reads in `slot`. Follows the
// first sources to the input layer, through splits and layers whose outputs are steps.
RecordPlace RecordOfNumbers(const Net& net, const NetNode& node, size_t slot, int64_t row) {
  const std::vector<NodeSources> sources = SourcesOf(net);
  NetSource at;
  for (at.node = 0; &net.nodes()[at.node] != &node;) ++at.node;
  for (; !sources[at.node].empty(); slot = 0) {
    at = sources[at.node][slot][0];
    if (at.node < 0) return {"", -1};
    const NetNode& source = net.nodes()[at.node];
    if (source.wiring.outputs_are_steps) {
      const int64_t rows = source.out[0]->span.rows;
      row = source.wiring.is_input ? row + at.output * rows : row % rows;
    }
    if (source.wiring.is_input) return RecordOfRow(source, row);
    if (!source.traits.aliases_in && !source.wiring.outputs_are_steps) break;
  }
  return {"", -1};
}

// Returns the record that gave row `row` of the labels that `node` reads. Finds the source by its
// labels' memory. Labels of a split are in its source's memory, labels of kLabel are a copy, and
// labels of kRNNLabel were indices.
RecordPlace RecordOfLabel(const Net& net, const NetNode& node, int64_t row) {
  const void* labels = node.checked.back()->label.as<void>();
  for (const NetNode& source : net.nodes()) {
    if (!labels || source.out.empty() || source.out[0]->label.as<void>() != labels) continue;
    if (source.in.empty()) return RecordOfRow(source, row);
    return source.wiring.step_shift > 0 ? RecordOfNumbers(net, source, 0, row)
                                        : RecordOfLabel(net, source, row);
  }
  return {"", -1};
}

// Throws the error that is handled now, as a DataError if a store gave the record.
[[noreturn]] void Rethrow(const RowFault& error, const RecordPlace& record) {
  if (record.second < 0) throw;
  throw DataError(record.first, record.second, error.what());
}

}  // namespace

void CheckInputs(const Net& net, const NetNode& node, Phase flags) {
  if (!node.traits.checks) return;
  try {
    node.layer->CheckInputs(flags, node.checked);
  } catch (const LabelError& error) {
    Rethrow(error, RecordOfLabel(net, node, error.row()));
  } catch (const IndexError& error) {
    Rethrow(error, RecordOfNumbers(net, node, 0, error.row()));
  } catch (const TargetError& error) {
    Rethrow(error, RecordOfNumbers(net, node, 1, error.row()));
  }
}

}  // namespace singa
