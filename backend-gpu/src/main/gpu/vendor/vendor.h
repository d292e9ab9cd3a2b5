// Chooses the dialect. This folder is the only place that names a vendor.
#pragma once

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;

struct alignas(8) u32x2 {
    u32 v[2];
};
struct alignas(16) u32x4 {
    u32 v[4];
};

#if defined(GPU_EMU)
#include "emu.h"
#elif defined(__HIP__)
#include "hip.h"
#else
#include "cuda.h"
#endif

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define UNROLL
#define UNROLL_BY(n)
#else
#define GPU_PRAGMA(text) _Pragma(#text)
#define UNROLL _Pragma("unroll")
#define UNROLL_BY(n) GPU_PRAGMA(unroll n)
#endif

template <class To, class From>
DEVICE To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From), "sizes differ");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}

template <int MASK>
DEVICE f32 shuffle_xor(f32 v) {
    return bit_cast<f32>(shuffle_xor<MASK>(bit_cast<u32>(v)));
}

template <int MASK>
DEVICE u64 shuffle_xor(u64 v) {
    u64 high = shuffle_xor<MASK>(u32(v >> 32));
    return high << 32 | shuffle_xor<MASK>(u32(v));
}

// Products of a warp. Fragments are those of a matrix unit: lane 4 i + j has bytes 4 j to 4 j + 3 of row i of a (a0; a1 is
// row i + 8) and of column i of b, and the sums of rows i and i + 8 and columns 2 j and 2 j + 1.
#ifdef MATRIX_UNIT
#define UNROLL_TILES UNROLL
/** As 16x8x16 for a b whose columns are all equal; sums 0 and 2 count. */
DEVICE void multiply_16x1x16(i32 (&c)[4], u32 a0, u32 a1, u32 b) { multiply_16x8x16(c, a0, a1, b); }
/** As 16x8x32 for a b whose columns are all equal; sums 0 and 2 count. */
DEVICE void multiply_16x1x32(i32 (&c)[4], const u32 (&a)[4], u32x2 b) { multiply_16x8x32(c, a, b); }
#else
#define UNROLL_TILES UNROLL_BY(1)
DEVICE i32 quad_sum(i32 sum) {
    sum += i32(shuffle_xor<1>(u32(sum)));
    return sum + i32(shuffle_xor<2>(u32(sum)));
}

DEVICE void multiply_16x1x16(i32 (&c)[4], u32 a0, u32 a1, u32 b) {
    c[0] += quad_sum(dot4(a0, b, 0));
    c[2] += quad_sum(dot4(a1, b, 0));
}

DEVICE void multiply_16x1x32(i32 (&c)[4], const u32 (&a)[4], u32x2 b) {
    c[0] += quad_sum(dot4(a[2], b.v[1], dot4(a[0], b.v[0], 0)));
    c[2] += quad_sum(dot4(a[3], b.v[1], dot4(a[1], b.v[0], 0)));
}

DEVICE i32 quad_dot(u32 a, u32 b, int row, int column, i32 sum) {
    UNROLL for (int i = 0; i < 4; i++) { sum = dot4(shuffle(a, 4 * row + i), shuffle(b, 4 * column + i), sum); }
    return sum;
}

OUTLINE u32x4 quad_product(u32x4 c, u32 a0, u32 a1, u32 b) {
    int row = lane() >> 2;
    int column = 2 * (lane() & 3);
    UNROLL for (int i = 0; i < 4; i++) { c.v[i] = quad_dot(i < 2 ? a0 : a1, b, row, column + i % 2, c.v[i]); }
    SCHEDULING_FENCE;
    return c;
}

DEVICE void multiply_16x8x16(i32 (&c)[4], u32 a0, u32 a1, u32 b) {
    u32x4 sums = quad_product({{u32(c[0]), u32(c[1]), u32(c[2]), u32(c[3])}}, a0, a1, b);
    UNROLL for (int i = 0; i < 4; i++) { c[i] = i32(sums.v[i]); }
}

DEVICE void multiply_16x8x32(i32 (&c)[4], const u32 (&a)[4], u32x2 b) {
    multiply_16x8x16(c, a[0], a[1], b.v[0]);
    multiply_16x8x16(c, a[2], a[3], b.v[1]);
}
#endif
