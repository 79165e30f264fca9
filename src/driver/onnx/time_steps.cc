#include "driver/onnx/time_steps.h"

#include <limits>

#include "singa/base/str_cat.h"

namespace singa {

bool GivesSteps(const NetNode& node) { return node.wiring.outputs_are_steps; }

int StepsOf(const NetNode& node) {
  if (GivesSteps(node)) return node.wiring.num_outputs - node.wiring.steps_ahead;
  return node.conf.unroll_len();
}

std::vector<int64_t> SizesOf(const NetNode& node, int output) {
  const Shape& shape = node.out[output]->data.shape();
  std::vector<int64_t> sizes;
  for (int i = node.wiring.sequence && StepsOf(node) > 1 ? 2 : 1; i < shape.dims(); ++i)
    sizes.push_back(shape[i]);
  return sizes;
}

void AppendPiece(const NetSource& piece, Pieces* pieces) {
  if (!pieces->empty()) {
    NetSource& last = pieces->back();
    if (last.node == piece.node && last.output == piece.output &&
        last.step + last.steps == piece.step) {
      last.steps += piece.steps;
      return;
    }
  }
  pieces->push_back(piece);
}

int StepsOf(const Pieces& pieces) {
  int steps = 0;
  for (const NetSource& piece : pieces) steps += piece.steps;
  return steps;
}

OnnxDim TimeSteps::Dim(int steps) const {
  if (IsFree(steps)) return "T";
  return steps;
}

void TimeSteps::ReadFrom(const std::string& text) {
  if (!free_ || !shape_.empty()) return;
  shape_ = graph_->Fresh(text + "#shape");
  graph_->Add("Shape", {text}, {shape_});
}

std::string TimeSteps::Count() {
  const std::string count = graph_->Fresh("time_steps");
  graph_->Add("Slice",
              {shape_, graph_->Ints(count + "#begin", {0}), graph_->Ints(count + "#end", {1})},
              {count});
  return count;
}

std::string TimeSteps::Sequence(const std::string& rows, int steps,
                                const std::vector<int64_t>& sizes, const std::string& name) {
  const std::string sequence = name.empty() ? graph_->Fresh(rows + "#steps") : name;
  std::string shape;
  if (!IsFree(steps)) {
    std::vector<int64_t> all = {steps, -1};
    all.insert(all.end(), sizes.begin(), sizes.end());
    shape = graph_->Ints(sequence + "#shape", all);
  } else if (sizes.empty()) {
    shape = shape_;
  } else {
    const std::string behind = graph_->Ints(sequence + "#sizes", sizes);
    shape = graph_->Fresh(sequence + "#shape");
    graph_->Add("Concat", {shape_, behind}, {shape}, {OnnxInt("axis", 0)});
  }
  graph_->Add("Reshape", {rows, shape}, {sequence});
  return sequence;
}

std::string TimeSteps::Cut(const std::string& rows, int steps, int first, int count,
                           const std::vector<int64_t>& sizes) {
  // Counted from the end, the range has the last step of a text of any length.
  const int64_t end =
      first + count == steps ? std::numeric_limits<int64_t>::max() : int64_t{first} + count - steps;
  const std::string sequence = Sequence(rows, steps, sizes), cut = graph_->Fresh(rows + "#cut"),
                    part = graph_->Fresh(rows + "#part");
  graph_->Add("Slice",
              {sequence, graph_->Ints(cut + "#begin", {int64_t{first} - steps}),
               graph_->Ints(cut + "#end", {end}), graph_->Ints(cut + "#axes", {0})},
              {cut});
  std::vector<int64_t> shape = sizes;
  shape.insert(shape.begin(), -1);
  graph_->Add("Reshape", {cut, graph_->Ints(part + "#shape", shape)}, {part});
  return part;
}

}  // namespace singa
