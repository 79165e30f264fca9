// UpdateChunks updates pieces by the blocks of a device.
#pragma once

#include <array>
#include <utility>

#include "math/elementwise/map.h"
#include "singa/train/updater.h"

namespace singa {

// Block i updates chunk i % chunks of piece i / chunks, if it has so many.
template <typename Element, size_t kStates>
struct UpdateChunks {
  static constexpr int64_t kChunk = 4096;  // elements

  UpdateBatch batch;
  int64_t chunks = (batch.largest + kChunk - 1) / kChunk;  // chunks of the largest piece

  int64_t blocks() const { return batch.count * chunks; }

  template <typename B>
  SINGA_DEVICE void operator()(const B& block, int64_t i) const {
    if (batch.verdict && batch.verdict->dropped) return;
    const UpdatePiece piece = batch.pieces[i / chunks];
    const int64_t begin = i % chunks * kChunk;
    const int64_t end = begin + kChunk < piece.n ? begin + kChunk : piece.n;
    if (begin >= end) return;
    const Element element = static_cast<const Element*>(batch.steps)[piece.param];
    const float scale = batch.verdict ? batch.verdict->scale : 1;
    Update(block, element, scale, piece, begin, end, std::make_index_sequence<kStates>());
  }

 private:
  template <typename B, size_t... S>
  SINGA_DEVICE static void Update(const B& block, const Element& element, float scale,
                                  const UpdatePiece& piece, int64_t begin, int64_t end,
                                  std::index_sequence<S...> states) {
    const int64_t fours =
        AlignedTo<4>(piece.w, piece.g, piece.states[S]...) ? (end - begin) / 4 : 0;
    for (int64_t q = block.thread(); q < fours; q += block.threads())
      UpdateFour(element, scale, piece, begin + 4 * q, states);
    for (int64_t j = begin + 4 * fours + block.thread(); j < end; j += block.threads())
      element(scale * piece.g[j], piece.w + j, (piece.states[S] + j)...);
  }

  // Each number is read and written once.
  template <size_t... S>
  SINGA_DEVICE static void UpdateFour(const Element& element, float scale, const UpdatePiece& piece,
                                      int64_t j, std::index_sequence<S...>) {
    const Four g = LoadLanes<4>(piece.g + j);
    Four w = LoadLanes<4>(piece.w + j);
    std::array<Four, kStates> states = {LoadLanes<4>(piece.states[S] + j)...};
    for (int k = 0; k < 4; ++k) element(scale * g[k], &w[k], &states[S][k]...);
    StoreLanes<4>(w, piece.w + j);
    (StoreLanes<4>(states[S], piece.states[S] + j), ...);
  }
};

}  // namespace singa
