// Model and Session run a trained net inside another program.
//
//   const singa::Model model("job.conf", {.checkpoint = "run/checkpoint/step1000"});
//   singa::Session session(model);                        // one for each thread
//   std::vector<float> scores = session.Run(pixels);      // any number of rows
//
// A row of an unrolled net is a sequence. If the outputs of the input layer are time steps
// (kCharRNN), a row is [T, v]: T steps of v numbers, or T indices of characters. If the input layer
// reads one record for all steps, a row is that record. A layer with T steps gives rows of [T,
// numbers of a step]. With carry_state and SessionOptions::one_sequence, a net computes a long
// sequence in windows of T steps. With SessionOptions::step_by_step it computes step by step, as to
// write a text:
//
//   singa::Session session(model, {.step_by_step = true});
//   for (float character : characters) next = session.Run({&character, 1});
//
// The net has the layers of the conf's test phase that the wanted layer needs. It needs no losses
// and no labels; dropout passes its input on, and batch normalisation uses the running statistics.
// Nothing is printed, and no signal is handled. No store is opened, except that of a kShardData or
// kLMDBData, whose first record gives the shape. All functions throw singa::Error, with the exit
// code that `singa` would end with.
//
// On a GPU (ModelOptions::gpu) all sessions of a Model share one copy of the parameters. Each
// session has its own stream, so sessions in several threads share the GPU's time. Layers without
// code for the GPU run on the host. Rows go in and out through the host's memory, and Run returns
// when the results are there.
//
// OpenMP threads spin before they sleep. If sessions together have more threads than there are
// cores, set GOMP_SPINCOUNT=2000 for the program, as `singa` does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "singa/base/api.h"
#include "singa/base/error.h"

namespace singa {

class JobProto;  // singa/proto/job.pb.h, for jobs built in code

struct ModelOptions {
  // Path of a checkpoint's folder, of a file, or of a workspace, whose newest intact checkpoint is
  // used. "" means the job's workspace or, if that has no checkpoint yet, the job's
  // checkpoint_path.
  std::string checkpoint = {};
  // Name of the layer whose feature a session computes. "" means the net's trained output. With a
  // kSoftmaxLoss or kSigmoidCrossEntropyLoss that is the probabilities (the softmax or sigmoid of
  // its scores); with another loss, the feature that the loss compares with the target; without a
  // loss, the one layer that no other layer reads. To get the scores, name the layer that the loss
  // reads. To get the probabilities, name the loss.
  std::string layer = {};
  // Settings "path=value", as `singa -set` takes them, for a conf that is a file. A checkpoint_path
  // among them has precedence over the workspace.
  std::vector<std::string> sets = {};
  // Number of the GPU that sessions compute on; -1: the CPU. If not set, the first GPU that the job
  // names (`gpu:`), else the CPU. For several GPUs make a Model for each.
  std::optional<int> gpu = {};
};

// A net with its trained parameters, which never change. Copies of a Model and all its sessions
// share one copy of them, in any number of threads.
class SINGA_API Model {
 public:
  // `conf` is the path of a job.conf. Throws one Error that lists all mistakes of the conf with
  // their places. Throws DataError if the checkpoint lacks a parameter, as untrained values are
  // never used. Throws Error(kExitNoDevice) if the GPU is too small, or not among the machine's
  // GPUs. If the machine has no GPU at all, the CPU computes, and warnings() says so.
  explicit Model(const std::string& conf, const ModelOptions& options = {});
  // `job` is built in code; its plugins are loaded first (driver.h). Throws ConfigError, with the
  // field's path, for its first mistake.
  explicit Model(const JobProto& job, const ModelOptions& options = {});

  // The computed layer, and its shape for one row: (10) or (channels, height, width). With T > 1
  // time steps the shape begins with T: (T, 10).
  const std::string& layer() const;
  const std::vector<int64_t>& output_shape() const;
  int64_t output_size() const;   // numbers of a row, of all steps
  int64_t output_steps() const;  // T; 1 if the layer is not unrolled
  // Returns whether each row (each time step) of the output has one number for each class.
  bool classifies() const;
  // Returns whether SessionOptions::one_sequence may change results: a layer has carry_state, or is
  // a user's layer, which may keep any state.
  bool carries_state() const;
  // Returns whether the output of a time step depends only on that step and earlier ones. This is
  // false if a layer below reads all steps of a source, or its last one (kUnrollOneToAll,
  // kUnrollFirstToLast).
  bool causal() const;
  // Label whose rows the loss of the layer ignores; not set: the loss ignores none.
  std::optional<int32_t> ignored_label() const;

  // The input layer, and the shape of its record. It begins with T if the outputs are time steps,
  // such as (50) for 50 characters.
  const std::string& input_layer() const;
  const std::vector<int64_t>& input_shape() const;
  int64_t input_size() const;
  int64_t input_steps() const;  // T; 1 if the layer has one output
  // Batch size of the input layer, in rows. Sessions compute so many rows at a time by default.
  int64_t batch() const;

  // The checkpoint's folder, or the files, that the parameters were read from.
  const std::vector<std::string>& files() const;
  // Messages for the user: damaged checkpoints were skipped, or a named GPU does not exist.
  const std::vector<std::string>& warnings() const;

 private:
  friend class Session;
  struct Content;
  std::shared_ptr<const Content> content_;
};

struct SessionOptions {
  int64_t max_batch = 0;  // maximum number of rows computed at a time; 0: Model::batch()
  int threads = 1;        // threads of one Run; 1 to 1024
  // false: each row begins with a state of zeros. true: the rows of all Runs are consecutive
  // windows of one sequence, and layers with carry_state begin each row with the state of the row
  // before. Rows are then computed one at a time, so max_batch must be 0 or 1.
  bool one_sequence = false;
  // true: a row is one time step, [numbers of a step], and so is a row of the output. Each row is
  // the next step of one sequence, and layers keep what they need of the steps before: kGRU, kLSTM
  // and kRNN their state, kAttention the keys and values of up to T steps. The numbers equal
  // those of whole rows up to rounding. When a net with kAttention or kPositionEmbedding has T
  // steps, it begins anew with the last T / 2 of them. Throws ConfigError if a layer needs later
  // steps, or the last one, or if the input layer reads whole records.
  bool step_by_step = false;
};

// Computes rows, with its own activations. One thread at a time may use it. It keeps the model
// alive.
class SINGA_API Session {
 public:
  explicit Session(const Model& model, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // rows: [n, Model::input_size()], n >= 0; out: [n, Model::output_size()]. With step_by_step both
  // sizes are those of a step, a T-th. A record is planar (channels, height, width), as in a store:
  // Run applies the conf's mean, deviation, crop and scale. The first Run of a number of rows
  // allocates memory and reads the conf's mean files again, and throws if a file is gone. Later
  // Runs allocate only inside oneDNN. The last digits of a row may depend on the number of rows
  // computed together, as it changes the order of sums. Throws Error(kExitUsage) if the sizes do
  // not fit, and DataError, which names row and step, for an index that its layer does not allow.
  void Run(std::span<const float> rows, std::span<float> out);
  std::vector<float> Run(std::span<const float> rows);

  // Makes the next row begin a new sequence (one_sequence or step_by_step). If a Run throws
  // DataError, the state is that before the faulty row, except for the state of a user's layers.
  void Reset();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace singa
