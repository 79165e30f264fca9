// Pictures of several input layers are cut alike: a picture and its mask, say, keep their pixels
// together.
#pragma once

#include <deque>

#include "singa/nn/net.h"

namespace singa {

// The first layer that cuts the pictures of each input layer draws the same places and flips as the
// others' first, the second as their second, and so on. With the same sizes and settings record i
// of all is cut in the same way. Layers behind one input layer draw as their own names say.
// REQUIRES: Setup of all nodes was called.
void PairCuts(std::deque<NetNode>* nodes);

class CuttingLayer;
// Returns `layer`, which MakeLayer made of `conf`, as a CuttingLayer; null if it is none.
CuttingLayer* CuttingLayerOf(const LayerProto& conf, Layer* layer);

}  // namespace singa
