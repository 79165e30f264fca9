// Model and Session: a trained net in a program of one's own.
//
//   const singa::Model model("job.conf", {.checkpoint = "run/checkpoint/step1000"});
//   singa::Session session(model);                        // one for each thread
//   std::vector<float> scores = session.Run(pixels);      // any number of rows
//
// The net is that of the conf's test phase as far as the wanted layer needs it: no losses, no
// labels, dropout passes on what it gets, batch normalisation uses the running statistics. Nothing
// is printed, no signal is handled, no store is opened but that of a kShardData or kLMDBData, whose
// first record says the shape. All functions throw singa::Error, with the
// exit code that `singa` would end with.
//
// OpenMP threads of sessions with several threads spin before they sleep, which is slow where more
// of them run than there are cores: set GOMP_SPINCOUNT=2000 for the program, as `singa` does.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "singa/base/api.h"
#include "singa/base/error.h"

namespace singa {

class JobProto;  // singa/proto/job.pb.h, for jobs built in code

struct ModelOptions {
  // What a job's checkpoint_path may name, or a workspace, of which it is the newest checkpoint
  // that verifies. "": the job's own checkpoint_path, or else its workspace.
  std::string checkpoint = {};
  // Whose feature a session computes. "": what the net is trained to give, that is the
  // probabilities (the softmax of its scores) where its loss is kSoftmaxLoss, what another loss
  // compares with the target, and without a loss the one layer that no other reads. For the scores
  // themselves name the layer that the loss reads. Named, a kSoftmaxLoss gives its probabilities.
  std::string layer = {};
  // "path=value", as of `singa -set`; only for a conf that is a file.
  std::vector<std::string> sets = {};
};

// A net with its trained parameters. These lie in memory once, and never change: copies of a Model
// and all sessions share them, in any number of threads.
class SINGA_API Model {
 public:
  // `conf`: a job.conf. Its mistakes are one Error, whose text has each of them with its place.
  // A parameter that the checkpoint lacks is a DataError: nothing is predicted from numbers that
  // were never trained.
  explicit Model(const std::string& conf, const ModelOptions& options = {});
  // A job built in code. Its first mistake is a ConfigError, with the field's path.
  explicit Model(const JobProto& job, const ModelOptions& options = {});

  // The layer that is computed, and its shape for one row: (10), or (channels, height, width).
  const std::string& layer() const;
  const std::vector<int64_t>& output_shape() const;
  int64_t output_size() const;  // numbers of a row
  // Whether its numbers are one for each class, which labels count.
  bool classifies() const;

  // The shape of a record, by the conf's input layer.
  const std::vector<int64_t>& input_shape() const;
  int64_t input_size() const;
  // Rows of a batch of that layer; what sessions compute at a time if they are not told.
  int64_t batch() const;

  // What a user should hear of: damaged checkpoints that were passed over.
  const std::vector<std::string>& warnings() const;

 private:
  friend class Session;
  struct Content;
  std::shared_ptr<const Content> content_;
};

struct SessionOptions {
  int64_t max_batch = 0;  // rows computed at a time, at most; 0: Model::batch()
  int threads = 1;        // of one Run; 1 to 1024
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
  // do not fit.
  void Run(std::span<const float> rows, std::span<float> out);
  std::vector<float> Run(std::span<const float> rows);

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace singa
