/* Loads of bytes that were stored just before: LoadsTest looks for the stores in what a compiler makes of this. */
#include <stdint.h>
#include "isa.h"

void of_the_first_run(sums *out) {
    uint32_t bytes[1] = {0x11121314};
    *out = quad_at((const uint8_t *) bytes, 4, 0, 0);
}

void of_the_second_run(int64_t stride, sums *out) {
    uint32_t bytes[2] = {0, 0x21222324};
    *out = quad_at((const uint8_t *) bytes, stride, 1, 0);
}

void of_the_third_run(int64_t stride, sums *out) {
    uint32_t bytes[3] = {0, 0, 0x31323334};
    *out = quad_at((const uint8_t *) bytes, stride, 2, 0);
}

void of_weights(sums *out) {
    uint32_t bytes[16] = {0x41424344};
    *out = weights_at((const int8_t *) bytes, 0);
}
