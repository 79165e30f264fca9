// TimeSteps handles the time steps of a net in its model. Between layers a feature of S steps is
// rows, (S N, ...), one step after the other, as in singa, so layers on rows need no special form.
// Recurrent layers and users of the model see (S, N, ...).
#pragma once

#include <string>
#include <vector>

#include "driver/onnx/onnx_graph.h"
#include "nn/plan/net_sources.h"

namespace singa {

// Returns whether the outputs are time steps. They are one value in the model.
bool GivesSteps(const NetNode& node);
// Returns the time steps of one output of `node`.
int StepsOf(const NetNode& node);
// Returns the sizes of one time step of a record.
std::vector<int64_t> SizesOf(const NetNode& node, int output);

// Time steps of a feature, as pieces of nodes' outputs, in the order of time.
using Pieces = std::vector<NetSource>;
// Appends `piece`, or extends the last piece if `piece` continues the same output.
void AppendPiece(const NetSource& piece, Pieces* pieces);
int StepsOf(const Pieces& pieces);

// If all layers of a net run over all steps of its text, the model takes texts of any length and
// reads the number of steps, T, from its input. In other nets T is a constant.
class TimeSteps {
 public:
  explicit TimeSteps(OnnxGraph* graph) : graph_(graph) {}

  void SetFree(int steps) { free_ = steps; }
  bool IsFree(int steps) const { return free_ > 0 && steps == free_; }
  // Returns the number of steps as a size of an input or output.
  OnnxDim Dim(int steps) const;

  // Reads T from the model's input `text`, (T, N).
  void ReadFrom(const std::string& text);
  // Returns T as a value of one number. REQUIRES: T is free.
  std::string Count();
  // Returns rows of `steps` steps as (steps, N, sizes), named `name` or after the rows.
  std::string Sequence(const std::string& rows, int steps, const std::vector<int64_t>& sizes,
                       const std::string& name = "");
  // Returns the rows of steps [first, first + count) from rows of `steps` steps.
  std::string Cut(const std::string& rows, int steps, int first, int count,
                  const std::vector<int64_t>& sizes);

 private:
  OnnxGraph* graph_;
  int free_ = 0;
  std::string shape_;  // value (T, N), if T is free
};

}  // namespace singa
