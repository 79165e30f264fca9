// PairCuts makes pictures of several input layers be cut alike, such as a picture and its mask.
#pragma once

#include <deque>

#include "singa/nn/net.h"

namespace singa {

// Makes the k-th cutting layer of each input layer draw the same places and flips, for each k. With
// the same sizes and settings record i of all is then cut in the same way. Several cutting layers
// of one input layer draw differently. REQUIRES: Setup of all nodes was called.
void PairCuts(std::deque<NetNode>* nodes);

class CuttingLayer;
// Returns `layer`, which MakeLayer made of `conf`, as a CuttingLayer; null if it is none.
CuttingLayer* CuttingLayerOf(const LayerProto& conf, Layer* layer);

}  // namespace singa
