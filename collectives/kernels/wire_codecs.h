#pragma once

// The codecs of the wire formats, for the best instruction set of this machine: elements of 16
// bits in one translation unit, blocks of 8-bit codes in another. Threads: any.

#include "collectives/kernels/wire_format.h"

namespace rondo::kernels {

WireCodec bf16_codec();
WireCodec f16_codec();
WireCodec f8e4m3_codec();
WireCodec f8e5m2_codec();
WireCodec int8_codec();

}  // namespace rondo::kernels
