// PredictSite answers requests with the predictions of a trained net.
#pragma once

#include <chrono>
#include <cstdint>
#include <semaphore>
#include <string>
#include <vector>

#include "driver/http/http_access.h"
#include "driver/http/http_site.h"
#include "driver/predict/prediction_writer.h"
#include "driver/serve/batch_queue.h"
#include "driver/serve/input_rows.h"
#include "driver/serve/serve_counters.h"

namespace singa {

struct PredictSiteOptions {
  std::string token = {};        // every request needs it; "": the site is for loopback
  std::string description = {};  // the answer at "/": JSON
  InputForm form = {};
  int64_t output_steps = 1, outputs = 1;  // time steps of a record; scores of a step
  PredictionFormat format = {};
  int32_t short_side = 0;                  // as in SourceOptions
  std::string why_no_pictures = {};        // "": records may be pictures
  std::chrono::seconds longest_wait{300};  // of a request for its scores
};

class PredictSite final : public HttpSite {
 public:
  // `queue` and `counters` must outlive it.
  PredictSite(PredictSiteOptions options, BatchQueue* queue, ServeCounters* counters);

  HttpAnswer Answer(const HttpRequest& request) override;
  int64_t MostBody(const HttpRequest& head) const override;
  // Counts the answers at /predict, and those to heads that cannot be read.
  void CountAnswer(const std::string& path, int status) override;

 private:
  static constexpr int kPicturesAtOnce = 4;       // that are decoded, as one may take 256 MiB
  static constexpr int kPredictionsAtOnce = 112;  // the server's other connections stay free

  HttpAnswer Reply(const HttpRequest& request);
  HttpAnswer Predict(const HttpRequest& request);
  InputRows RowsOf(const HttpRequest& request);
  InputRows PictureRow(const std::string& bytes);
  int64_t TopOf(const HttpRequest& request) const;
  std::string RowsText(int64_t top, const std::vector<int64_t>& lengths,
                       const std::vector<float>& scores) const;

  const PredictSiteOptions options_;
  const AccessRule access_;
  BatchQueue& queue_;
  ServeCounters& counters_;
  std::counting_semaphore<kPicturesAtOnce> pictures_{kPicturesAtOnce};
  std::counting_semaphore<kPredictionsAtOnce> predictions_{kPredictionsAtOnce};
};

}  // namespace singa
