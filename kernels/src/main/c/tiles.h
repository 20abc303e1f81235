/*
 * The processor's tile registers (Intel AMX): eight of up to 16 rows of 64 bytes, whose shapes are configured, and
 * products of bytes that add to 32-bit sums. Written as assembly, since compilers that know the instructions may still
 * not be told to use them.
 */
#ifndef TORCHNNAPI_TILES_H
#define TORCHNNAPI_TILES_H

#include <stdint.h>

/* Linux is asked for leave to use them; compilers with one of these headers, GCC's and clang's, can assemble them. */
#if defined(__x86_64__) && defined(__linux__) && defined(__has_include)
#if __has_include(<amxint8intrin.h>) || __has_include(<amxintrin.h>)
#define HAVE_TILES 1
#endif
#endif

#if defined(HAVE_TILES)

#define TILE_ROWS 16
/* Quads of bytes in a row. */
#define TILE_QUADS 16

/* The shapes of all tile registers, as ldtilecfg reads them. */
struct tile_shapes {
    uint8_t palette;
    uint8_t start_row;
    uint8_t reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} __attribute__((aligned(64)));

/* Fills register t with rows `stride` bytes apart; its number is part of the instruction. */
#define TILE_LOAD(t, from, stride) \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t : : "r"(from), "r"((int64_t) (stride)) : "memory")

#define TILE_STORE(t, to, stride) \
    __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" : : "r"(to), "r"((int64_t) (stride)) : "memory")

/* Adds to sums the products of rows of unsigned bytes and columns of signed ones. */
#define TILE_DOT(sums, rows, columns) __asm__ volatile("tdpbusd %%tmm" #columns ", %%tmm" #rows ", %%tmm" #sums : :)

#define TILE_CONFIGURE(shapes) __asm__ volatile("ldtilecfg %0" : : "m"(shapes))

/* Without contents the system and the virtual machine need not save them. */
#define TILE_RELEASE() __asm__ volatile("tilerelease")

#endif
#endif
