/* Copies of images and matrices to another order of their elements, of 4 bytes or of 1. */
#include "call.h"
#include "lanes.h"

/* A square of elements as vectors of rows, turned by as many rounds of zips as its side has bits. */
#define TURN(type, name, side, low, high) \
    INLINE void name(type *rows) { \
        for (int32_t round = 1; round < (side); round *= 2) { \
            type next[side]; \
            for (int32_t i = 0; i < (side) / 2; i++) { \
                next[2 * i] = low(rows[i], rows[i + (side) / 2]); \
                next[2 * i + 1] = high(rows[i], rows[i + (side) / 2]); \
            } \
            for (int32_t i = 0; i < (side); i++) { \
                rows[i] = next[i]; \
            } \
        } \
    }

TURN(floats, turn_floats, LANES, LOW_HALVES, HIGH_HALVES)

/* Bytes turn in squares of 16 everywhere. */
#define SIDE 16
typedef uint8_t square_row __attribute__((vector_size(SIDE)));
#define LOW_BYTES(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

TURN(square_row, turn_bytes, SIDE, LOW_BYTES, HIGH_BYTES)

BYTE_VECTOR(square_row, SIDE, load_row, store_row)

/* out[c][r] = in[r][c] for `rows` by `cols` elements; rows of the result are filled up with zeros to `padded` elements.
 */
#define TRANSPOSE(name, element, vector, side, load, store, turn) \
    INLINE void name##_square(const element *in, int64_t in_step, int32_t rows, int32_t cols, element *out, \
            int64_t out_step, int32_t padded) { \
        vector square[side]; \
        for (int32_t r = 0; r < (side); r++) { \
            square[r] = r < rows ? load(in + r * in_step, cols) : (vector) {0}; \
        } \
        turn(square); \
        for (int32_t c = 0; c < (side); c++) { \
            if (c < cols) { \
                store(out + c * out_step, square[c], padded); \
            } \
        } \
    } \
    static void name(const element *in, int64_t in_step, int32_t rows, int32_t cols, element *out, int64_t out_step, \
            int32_t padded) { \
        for (int32_t r = 0; r < padded; r += (side)) { \
            int32_t c = 0; \
            if (r + (side) <= rows) { \
                for (; c + (side) <= cols; c += (side)) { \
                    name##_square(in + r * in_step + c, in_step, side, side, out + c * out_step + r, out_step, side); \
                } \
            } \
            for (; c < cols; c += (side)) { \
                name##_square(in + r * in_step + c, in_step, rows - r, cols - c, out + c * out_step + r, out_step, \
                        padded - r); \
            } \
        } \
    }

TRANSPOSE(transpose_4, float, floats, LANES, load_floats, store_floats, turn_floats)
TRANSPOSE(transpose_1, uint8_t, square_row, SIDE, load_row, store_row, turn_bytes)

/* Rows of `count` elements, filled up with zeros to `padded`. */
#define COPY(name, element, vector, side, load, store) \
    static void name(const element *in, int64_t in_step, int32_t rows, int32_t count, element *out, int64_t out_step, \
            int32_t padded) { \
        for (int32_t r = 0; r < rows; r++, in += in_step, out += out_step) { \
            int32_t c = 0; \
            for (; c + (side) <= count; c += (side)) { \
                store(out + c, load(in + c, side), side); \
            } \
            for (; c < padded; c += (side)) { \
                store(out + c, c < count ? load(in + c, count - c) : (vector) {0}, padded - c); \
            } \
        } \
    }

COPY(copy_4, float, floats, LANES, load_floats, store_floats)
COPY(copy_1, uint8_t, square_row, SIDE, load_row, store_row)

/* Three planes to pixels of three, as photos come and channels-last convolutions want them: squares would be mostly
 * empty. */
#define INTERLEAVE_3(name, element) \
    static void name(const element *restrict in, int64_t plane, int32_t count, element *restrict out) { \
        const element *second = in + plane, *third = second + plane; \
        for (int32_t i = 0; i < count; i++) { \
            out[3 * i] = in[i]; \
            out[3 * i + 1] = second[i]; \
            out[3 * i + 2] = third[i]; \
        } \
    }

INTERLEAVE_3(interleave_3_floats, float)
INTERLEAVE_3(interleave_3_bytes, uint8_t)

/* Pixels [first, end) from one channel block to another; lanes past the last channel become zeros. */
#define CONVERT(name, element, transpose, copy) \
    INLINE void name(const element *in, int32_t in_block, element *out, int32_t out_block, int32_t channels, \
            int64_t pixels, int32_t first, int32_t end) { \
        int32_t count = end - first; \
        for (int32_t c = 0; c < channels;) { \
            int64_t from = (c / in_block * pixels + first) * in_block + c % in_block; \
            int64_t to = (c / out_block * pixels + first) * out_block + c % out_block; \
            int32_t run = channels - c; \
            if (in_block == 1) { \
                run = run < out_block ? run : out_block; \
                transpose(in + from, pixels, run, count, out + to, out_block, c + run == channels ? out_block : run); \
            } else if (out_block == 1) { \
                run = run < in_block ? run : in_block; \
                transpose(in + from, in_block, count, run, out + to, pixels, count); \
            } else { \
                int32_t in_rest = in_block - c % in_block, out_rest = out_block - c % out_block; \
                run = run < in_rest ? run : in_rest; \
                run = run < out_rest ? run : out_rest; \
                copy(in + from, in_block, count, run, out + to, out_block, c + run == channels ? out_rest : run); \
            } \
            c += run; \
        } \
    }

CONVERT(convert_4, float, transpose_4, copy_4)
CONVERT(convert_1, uint8_t, transpose_1, copy_1)

KERNEL(convert_floats) {
    if (call->channels == 3 && call->in_block == 1 && call->out_block == 3) {
        interleave_3_floats(call->in + call->begin, call->pixels, call->end - call->begin, call->out + 3 * call->begin);
        return;
    }
    convert_4(
            call->in, call->in_block, call->out, call->out_block, call->channels, call->pixels, call->begin, call->end);
}

KERNEL(convert_bytes) {
    if (call->channels == 3 && call->in_block == 1 && call->out_block == 3) {
        interleave_3_bytes(call->in + call->begin, call->pixels, call->end - call->begin, call->out + 3 * call->begin);
        return;
    }
    convert_1(
            call->in, call->in_block, call->out, call->out_block, call->channels, call->pixels, call->begin, call->end);
}

KERNEL(transpose_floats) {
    if (call->rows == 3 && call->out_step == 3) {
        interleave_3_floats(call->in, call->in_step, call->cols, call->out);
        return;
    }
    transpose_4(call->in, call->in_step, call->rows, call->cols, call->out, call->out_step, call->rows);
}

KERNEL(transpose_bytes) {
    if (call->rows == 3 && call->out_step == 3) {
        interleave_3_bytes(call->in, call->in_step, call->cols, call->out);
        return;
    }
    transpose_1(call->in, call->in_step, call->rows, call->cols, call->out, call->out_step, call->rows);
}
