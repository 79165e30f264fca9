#include "comm/collective/region_board.h"

namespace singa {

RegionBoard::RegionBoard(const RegionSizes& sizes)
    : sizes_(sizes), own_(std::make_unique<Offer[]>(sizes.floats.size())), offers_(own_.get()) {}

RegionBoard::RegionBoard(const RegionSizes& sizes, MemoryLayout* layout) : sizes_(sizes) {
  offers_ = layout->Allocate<Offer>(static_cast<int64_t>(sizes.floats.size())).data();
  for (const int64_t floats : sizes.floats)
    memory_.push_back(layout->Allocate<float>(floats).data());
}

}  // namespace singa
