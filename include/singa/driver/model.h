// Model and Session: a trained net in a program of one's own.
//
//   const singa::Model model("job.conf", {.checkpoint = "run/checkpoint/step1000"});
//   singa::Session session(model);                        // one for each thread
//   std::vector<float> scores = session.Run(pixels);      // any number of rows
//
// A row of an unrolled net is a sequence. Where the input layer's outputs are the time steps, as
// kCharRNN's are, a row holds T of them, step after step: T numbers, the indices of characters, or
// T v where a step has v; where it reads one record for all steps, a row is the record. What comes
// out is [T, numbers of a step] of a layer with T steps. A net with carry_state can go through a
// long sequence by windows of T steps, SessionOptions::one_sequence; or by single steps, each as it
// comes:
//
//   const singa::Model model("job.conf", {.sets = {
//       "neuralnet.unroll_len=1", "neuralnet.layer[text].char_rnn_conf.unroll_len=1"}});
//   singa::Session session(model, {.one_sequence = true});
//   for (float character : characters) next = session.Run({&character, 1});
//
// The net is that of the conf's test phase as far as the wanted layer needs it: no losses, no
// labels, dropout passes on what it gets, batch normalisation uses the running statistics. Nothing
// is printed, no signal is handled, no store is opened but that of a kShardData or kLMDBData, whose
// first record says the shape. All functions throw singa::Error, with the
// exit code that `singa` would end with.
//
// On a GPU (ModelOptions::gpu) the parameters lie there once, for all sessions of the Model. Each
// session has its own stream, so sessions in several threads share the GPU's time; layers that have
// code for the host alone run there. Rows go in and out by the host's memory, and Run returns when
// its numbers are there.
//
// OpenMP threads of sessions with several threads spin before they sleep, which is slow where more
// of them run than there are cores: set GOMP_SPINCOUNT=2000 for the program, as `singa` does.
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
  // A checkpoint's folder, a file, or a workspace, whose newest intact checkpoint is taken. ""
  // means the job's workspace or, if that has no checkpoint yet, the job's checkpoint_path.
  std::string checkpoint = {};
  // Whose feature a session computes. "": what the net is trained to give, that is the
  // probabilities (the softmax of its scores) where its loss is kSoftmaxLoss, what another loss
  // compares with the target, and without a loss the one layer that no other reads. For the scores
  // themselves name the layer that the loss reads. Named, a kSoftmaxLoss gives its probabilities.
  std::string layer = {};
  // "path=value", as of `singa -set`, for a conf that is a file. A checkpoint_path among them goes
  // before the workspace.
  std::vector<std::string> sets = {};
  // The number of the GPU that sessions compute on; -1: none, they do on the CPU. Not given: the
  // first that the job names (`gpu:`), or else the CPU. Several GPUs take a Model each.
  std::optional<int> gpu = {};
};

// A net with its trained parameters. These lie in memory once, and never change: copies of a Model
// and all sessions share them, in any number of threads.
class SINGA_API Model {
 public:
  // `conf`: a job.conf. Its mistakes are one Error, whose text has each of them with its place.
  // A parameter that the checkpoint lacks is a DataError: nothing is predicted from numbers that
  // were never trained. Of a GPU that is not there among others, or is too small, it is an Error
  // (kExitNoDevice); where there is none at all a warning, and the CPU computes.
  explicit Model(const std::string& conf, const ModelOptions& options = {});
  // A job built in code; its plugins are loaded first (driver.h). Its first mistake is a
  // ConfigError, with the field's path.
  explicit Model(const JobProto& job, const ModelOptions& options = {});

  // The layer that is computed, and its shape for one row: (10), or (channels, height, width); of a
  // layer with T > 1 time steps (T, 10).
  const std::string& layer() const;
  const std::vector<int64_t>& output_shape() const;
  int64_t output_size() const;   // numbers of a row, of all steps
  int64_t output_steps() const;  // T; 1 of a layer that is not unrolled
  // Whether its numbers are one for each class, which labels count; so in each time step.
  bool classifies() const;
  // Whether SessionOptions::one_sequence makes a difference: a layer has carry_state, or is a
  // user's own, which may keep anything.
  bool carries_state() const;
  // Whether what comes out of a time step depends on that step and those before it alone: nothing
  // below reads all steps of a layer, or its last one (kUnrollOneToAll, kUnrollFirstToLast).
  bool causal() const;
  // Rows with this label, if it is set, do not count, by the loss that reads the layer.
  std::optional<int32_t> ignored_label() const;

  // The conf's input layer, and the shape of a record of it: (T, ...) where its outputs are time
  // steps, such as (50) of characters.
  const std::string& input_layer() const;
  const std::vector<int64_t>& input_shape() const;
  int64_t input_size() const;
  int64_t input_steps() const;  // T; 1 where it gives one feature
  // Rows of a batch of that layer; what sessions compute at a time if they are not told.
  int64_t batch() const;

  // The checkpoint's folder, or the files, that the weights are from.
  const std::vector<std::string>& files() const;
  // What a user should hear of: damaged checkpoints that were passed over, no GPU where one is
  // named.
  const std::vector<std::string>& warnings() const;

 private:
  friend class Session;
  struct Content;
  std::shared_ptr<const Content> content_;
};

struct SessionOptions {
  int64_t max_batch = 0;  // rows computed at a time, at most; 0: Model::batch()
  int threads = 1;        // of one Run; 1 to 1024
  // false: each row begins with a state of zeros. true: rows are windows of one sequence, which
  // follow on from one another, in one Run or in several: layers with carry_state begin each with
  // the state that the one before left. They are computed one at a time, so max_batch must be 0
  // or 1.
  bool one_sequence = false;
};

// Computes for one thread at a time, with activations of its own. It keeps the model alive.
class SINGA_API Session {
 public:
  explicit Session(const Model& model, const SessionOptions& options = {});
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // `rows`: n records of Model::input_size() numbers, planar (channels, height, width), as they
  // stand in a store: the conf's mean, deviation, crop and scale are applied here. `out`: n rows of
  // Model::output_size() numbers. Any n >= 0. The first Run of a number of rows allocates, and
  // reads the conf's mean files again, which throws where they have gone; later ones allocate
  // nothing but what oneDNN does inside. The last digits of a row may depend on how
  // many are computed with it, as the order of sums does. Throws Error(kExitUsage) where the sizes
  // do not fit; DataError, which names row and step, where a number that must be an index is none
  // that its layer allows.
  void Run(std::span<const float> rows, std::span<float> out);
  std::vector<float> Run(std::span<const float> rows);

  // With one_sequence: the next row begins another sequence. A Run that throws DataError leaves the
  // state that the row at fault began with, but for what a user's own layers keep.
  void Reset();

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace singa
