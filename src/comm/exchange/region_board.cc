#include "comm/exchange/region_board.h"

namespace singa {
namespace {

size_t OffersOf(const RegionSizes& sizes, SumNode here) {
  return static_cast<size_t>(sizes.tags) * here.workers() * here.workers();
}

}  // namespace

int64_t RegionBoard::Bytes(const RegionSizes& sizes, SumNode here) {
  return static_cast<int64_t>(OffersOf(sizes, here) * sizeof(Offer));
}

RegionBoard::RegionBoard(const RegionSizes& sizes, SumNode here)
    : here_(here), own_(std::make_unique<Offer[]>(OffersOf(sizes, here))), offers_(own_.get()) {}

RegionBoard::RegionBoard(const RegionSizes& sizes, MemoryLayout* layout) : here_{0, sizes.workers} {
  offers_ = layout->Allocate<Offer>(static_cast<int64_t>(OffersOf(sizes, here_))).data();
  for (int tag = 0; tag < sizes.tags; ++tag)
    for (int from = 0; from < sizes.workers; ++from)
      for (int to = 0; to < sizes.workers; ++to) {
        const int64_t floats = from == to ? 0 : sizes.floats(tag, from, to);
        memory_.push_back(layout->Allocate<float>(floats).data());
      }
}

}  // namespace singa
