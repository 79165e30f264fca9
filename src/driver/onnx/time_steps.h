// Time steps of a net in its model. Between layers a feature of S steps is rows, (S N, ...), one
// step behind the other, as in singa: the form of a layer on rows is that of its steps, too.
// Recurrent layers and whoever runs the model see (S, N, ...).
#pragma once

#include <string>
#include <vector>

#include "driver/onnx/onnx_graph.h"
#include "singa/nn/net.h"

namespace singa {

// Whether the outputs are time steps: one value in the model.
bool GivesSteps(const NetNode& node);
// Steps of what one output of `node` gives.
int StepsOf(const NetNode& node);
// Sizes of a record in one step of it.
std::vector<int64_t> SizesOf(const NetNode& node, int output);

// Steps of a feature, as pieces of what nodes give; their makers in the order of time.
using Pieces = std::vector<Net::Source>;
// Adds `piece` behind the last, or to it where it goes on with the same output.
void AppendPiece(const Net::Source& piece, Pieces* pieces);
int StepsOf(const Pieces& pieces);

// A net all of whose layers run over all steps of its text takes texts of any length: their number
// of steps, T, is then read from the model's input. In any other net it is a constant.
class TimeSteps {
 public:
  explicit TimeSteps(OnnxGraph* graph) : graph_(graph) {}

  void SetFree(int steps) { free_ = steps; }
  bool IsFree(int steps) const { return free_ > 0 && steps == free_; }
  // The number of steps as a size of an input or output.
  OnnxDim Dim(int steps) const;

  // The model's input `text`, (T, N).
  void ReadFrom(const std::string& text);
  // Rows of `steps` steps as (steps, N, sizes); called `name`, or after the rows.
  std::string Sequence(const std::string& rows, int steps, const std::vector<int64_t>& sizes,
                       const std::string& name = "");
  // Of the rows of `steps` steps, those of [first, first + count).
  std::string Cut(const std::string& rows, int steps, int first, int count,
                  const std::vector<int64_t>& sizes);

 private:
  OnnxGraph* graph_;
  int free_ = 0;
  std::string shape_;  // the value (T, N), where T is free
};

}  // namespace singa
