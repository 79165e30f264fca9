#include "driver/new_job/picture_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/text/counted.h"
#include "driver/new_job/class_lists.h"
#include "driver/new_job/job_lines.h"
#include "io/store/store.h"
#include "io/store/store_statistics.h"
#include "singa/base/error.h"

namespace singa {
namespace {

constexpr int64_t kMostDecoded = 1000;  // pictures of the training, for statistics

StoreOptions OptionsFor(const JobRequest& request, const std::string& list,
                        const std::vector<std::string>& classes) {
  return {.path = StrCat(request.fresh, "/", list),
          .root_folder = request.data,
          .class_names = classes};
}

// The sizes and colours of the pictures that were looked at.
struct PictureSample {
  StoreStatistics colours;                      // channels alone
  int32_t usual_side = 0, least = 0, most = 0;  // shorter sides: the median and the range
};

// Looks at pictures of the store at equal distances.
PictureSample LookAt(Store* store) {
  constexpr size_t kColours = 3;
  std::vector<int32_t> sides;
  std::array<double, kColours> sums{}, squares{};
  double pixels = 0;
  const int64_t step = (store->size() + kMostDecoded - 1) / kMostDecoded;
  for (int64_t i = 0; i < store->size(); i += step) {
    const Sample& sample = store->Read(i);
    sides.push_back(std::min(sample.shape[1], sample.shape[2]));
    const size_t area = static_cast<size_t>(sample.size()) / kColours;
    pixels += static_cast<double>(area);
    for (size_t at = 0; at < area * kColours; ++at) {
      const double value = sample.data.empty() ? sample.pixel[at] : sample.data[at];
      sums[at / area] += value;
      squares[at / area] += value * value;
    }
  }
  PictureSample found;
  std::ranges::sort(sides);
  found.usual_side = sides[sides.size() / 2];
  found.least = sides.front();
  found.most = sides.back();
  for (size_t i = 0; i < kColours; ++i) {
    const double mean = sums[i] / pixels;
    found.colours.channels.push_back(
        {.mean = mean, .std = std::sqrt(std::max(0., squares[i] / pixels - mean * mean))});
  }
  return found;
}

std::string DataLayer(const JobRequest& request, const std::string& list, const std::string& phase,
                      int64_t batch, int64_t side, const std::string& shared) {
  return StrCat("  layer {\n    name: \"data\" type: kRecordInput include: ", phase,
                "\n    store_conf {\n      backend: \"imagelist\" path: ",
                QuotedText(StrCat(request.dir, "/", list)),
                " root_folder: ", QuotedText(request.data), "\n      batchsize: ", batch,
                " shape: [3, ", side, ", ", side, "] short_side: ", side,
                phase == "kTrain" ? " shuffle: true" : "", "\n", shared, "    }\n  }\n");
}

// Returns a block of layers: each halves the height and the width.
std::string HalvingBlock(int number, const std::string& source, int filters) {
  return StrCat("  layer {\n    name: \"conv", number, "\" type: kConvolution srclayers: \"",
                source, "\" convolution_conf { num_filters: ", filters,
                " kernel: 3 pad: 1 }\n  }\n", "  layer { name: \"norm", number,
                "\" type: kBM srclayers: \"conv", number, "\" }\n  layer { name: \"relu", number,
                "\" type: kReLU srclayers: \"norm", number, "\" }\n  layer {\n    name: \"pool",
                number, "\" type: kPooling srclayers: \"relu", number,
                "\" pooling_conf { pool: MAX kernel: 2 stride: 2 }\n  }\n");
}

std::string PictureLayers(int64_t crop, size_t classes) {
  constexpr std::array kFilters = {16, 32, 64};
  std::string text = StrCat(
      "  # In training, crops at random places. mirror: true also flips pictures, if left and "
      "right\n"
      "  # mean the same.\n"
      "  layer {\n    name: \"crop\" type: kImagePreprocess srclayers: \"data\"\n"
      "    rgbimage_conf { cropsize: ",
      crop, " mirror: false }\n  }\n");
  std::string source = "crop";
  for (size_t i = 0; i < kFilters.size(); ++i) {
    const int number = static_cast<int>(i) + 1;
    text += HalvingBlock(number, source, kFilters[i]);
    source = StrCat("pool", number);
  }
  return StrCat(text, "  layer { name: \"fc\" type: kInnerProduct srclayers: \"", source,
                "\" innerproduct_conf { num_output: ", classes,
                " } }\n  layer { name: \"loss\" type: kSoftmaxLoss srclayers: \"fc\" srclayers: "
                "\"data\" }\n");
}

}  // namespace

NewJobText PictureJob(const JobRequest& request) {
  constexpr int64_t kLeastBatch = 8, kMostBatch = 32, kSteps = 1000, kMostEpochs = 40;
  constexpr int64_t kSmall = 32, kLarge = 64, kMargin = 8;  // sides of crops; 1/8 around them
  NewJobText made = {.train = kTrainList, .test = kTestList, .usage = "-topk 1 PICTURE..."};
  const std::vector<std::string> classes = WriteClassLists(request, &made.notes);
  const std::unique_ptr<Store> train =
      OpenStore("imagelist", OptionsFor(request, kTrainList, classes));
  made.train_records = train->size();
  made.test_records = OpenStore("imagelist", OptionsFor(request, kTestList, classes))->size();
  const PictureSample sample = LookAt(train.get());
  const int64_t crop = sample.usual_side < kLarge ? kSmall : kLarge, side = crop + crop / kMargin;
  const auto [batch, epochs] =
      ScheduleFor(train->size(), kLeastBatch, kMostBatch, kSteps, kMostEpochs);
  made.notes.push_back(StrCat("shorter sides of the pictures have ", sample.least, " to ",
                              sample.most, " pixels, usually ", sample.usual_side,
                              "; each picture is scaled to ", side,
                              ", the ends of its longer side are "
                              "cut off, and the net sees ",
                              crop, " x ", crop, " pixels of the rest"));
  const std::string about = StrCat("Learns ", classes.size(), " classes from the pictures of ",
                                   request.data, ", of which ", made.train_records,
                                   " train the net and ", made.test_records, " test it.");
  const std::string shared = StrCat("      ", ClassNamesText(classes), "\n",
                                    NormalisingLines(sample.colours, std::string(6, ' ')));
  made.conf = JobHead(request.dir, about, epochs, "0.002") +
              DataLayer(request, kTrainList, "kTrain", batch, side, shared) +
              DataLayer(request, kTestList, "kTest", batch, side, shared) +
              PictureLayers(crop, classes.size()) + JobTail(request.dir);
  return made;
}

}  // namespace singa
