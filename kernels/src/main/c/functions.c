/* The functions of an instruction set that Java looks up by name: what is not listed here is not found. */
#include "function.h"
#include "isa.h"
#include "tiles.h"

#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

#if defined(ISA_AVX512VNNI) && defined(HAVE_TILES)
#define ALL_OF_TILES(EACH) \
    EACH(dense_tiles) \
    EACH(dense_tiles_scratch)
#else
#define ALL_OF_TILES(EACH)
#endif

#if defined(ISA_AVX512VNNI)
#define ALL_OF_PAIRS(EACH) \
    EACH(pairs) \
    EACH(pairs_scratch)
#else
#define ALL_OF_PAIRS(EACH)
#endif

#if defined(MULTIPLIES_WORDS)
#define ALL_OF_WINOGRAD(EACH) \
    EACH(byte_winograd) \
    EACH(byte_winograd_pack) \
    EACH(byte_winograd_scratch)
#else
#define ALL_OF_WINOGRAD(EACH)
#endif

#if defined(ISA_AVXVNNI)
/* What its dot products change, and what has the same sources; the rest is AVX2's. */
#define ALL(EACH) \
    EACH(dense) \
    EACH(dense_scratch) \
    EACH(depth) \
    EACH(dynamic_product) \
    EACH(flip) \
    EACH(gates) \
    EACH(has_byte_winograd) \
    EACH(panel) \
    EACH(peak) \
    EACH(peak_round) \
    EACH(range) \
    EACH(tile) \
    EACH(weights_pack) \
    EACH(weights_place) \
    EACH(weights_range) \
    EACH(weights_reorder) \
    EACH(weights_sums)
#elif defined(ISA_FP16)
/* What its arithmetic of 16-bit floats serves. */
#define ALL(EACH) \
    EACH(half_conv) \
    EACH(half_pack) \
    EACH(half_panel)
#else
#define ALL(EACH) \
    ALL_OF_TILES(EACH) \
    ALL_OF_PAIRS(EACH) \
    ALL_OF_WINOGRAD(EACH) \
    EACH(binary) \
    EACH(bytes_into_line) \
    EACH(convert_bytes) \
    EACH(convert_floats) \
    EACH(dense) \
    EACH(dense_scratch) \
    EACH(depth) \
    EACH(depthwise) \
    EACH(depthwise_dots) \
    EACH(depthwise_scratch) \
    EACH(dequantize) \
    EACH(dynamic_product) \
    EACH(flip) \
    EACH(float_chain) \
    EACH(float_conv) \
    EACH(float_depthwise) \
    EACH(float_depthwise_pack) \
    EACH(float_gemm) \
    EACH(float_lanes) \
    EACH(float_pack) \
    EACH(float_panel) \
    EACH(float_peak) \
    EACH(float_peak_round) \
    EACH(float_scale) \
    EACH(float_scaled) \
    EACH(float_widening) \
    EACH(float_winograd) \
    EACH(float_winograd_pack) \
    EACH(fuse) \
    EACH(gates) \
    EACH(has_byte_winograd) \
    EACH(has_pairs) \
    EACH(look_up) \
    EACH(look_up_pairs) \
    EACH(masked_fill) \
    EACH(multiply_bytes) \
    EACH(narrow_floats) \
    EACH(normalize_blocks) \
    EACH(normalize_rows) \
    EACH(panel) \
    EACH(peak) \
    EACH(peak_round) \
    EACH(pool_bytes) \
    EACH(pool_floats) \
    EACH(quantize) \
    EACH(range) \
    EACH(recurrent_lanes) \
    EACH(recurrent_project) \
    EACH(recurrent_steps) \
    EACH(reduce_floats) \
    EACH(resize_bytes) \
    EACH(resize_floats) \
    EACH(softmax) \
    EACH(sum_bytes) \
    EACH(tile) \
    EACH(transpose_bytes) \
    EACH(transpose_floats) \
    EACH(unary) \
    EACH(weighted_rows) \
    EACH(weights_pack) \
    EACH(weights_place) \
    EACH(weights_range) \
    EACH(weights_reorder) \
    EACH(weights_sums) \
    EACH(widen_halves)
#endif

/* Of whatever type: those who call them know. */
#define DECLARED(function) extern void NAME(function)(void);
ALL(DECLARED)

#define LISTED(function) {TEXT_OF(NAME(function)), NAME(function)},
const struct function NAME(functions)[] = {ALL(LISTED){0, 0}};
