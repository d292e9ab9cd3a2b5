// The CPU emulator: every thread of a block is a fibre.
#pragma once

#include <cmath>
#include <cstring>

#include "../emulator/fibres.h"

#define DEVICE static inline
#define KERNEL(name, threads, parameters)                                        \
    extern "C" void name parameters;                                             \
    static emu::Registration registration_##name(#name, threads, &name);         \
    extern "C" void name parameters
#define DEVICE_MEMBER inline
#define OUTLINE DEVICE
#define SHARED(type, name, count) type* name = static_cast<type*>(emu::shared(sizeof(type) * (count)))

DEVICE int thread() { return emu::current->thread; }
DEVICE int block_x() { return emu::block_x; }
DEVICE int block_y() { return emu::block_y; }
DEVICE int block_size() { return emu::block_size; }
DEVICE int lane() { return thread() & 31; }
DEVICE void barrier() { emu::barrier(); }

template <int MASK>
DEVICE u32 shuffle_xor(u32 v) {
    return *emu::exchange(&v, 1, lane() ^ MASK);
}

DEVICE u32 shuffle(u32 v, int source) { return *emu::exchange(&v, 1, source); }

DEVICE i32 dot4(u32 a, u32 b, i32 c) {
    for (int shift = 0; shift < 32; shift += 8) {
        c += i32(i8(a >> shift)) * i32(i8(b >> shift));
    }
    return c;
}

DEVICE f32 multiply_add(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
DEVICE f32 square_root(f32 x) { return std::sqrt(x); }

DEVICE f32 half_to_float(u16 h) {
    _Float16 x;
    std::memcpy(&x, &h, 2);
    return x;
}

DEVICE u16 float_to_half(f32 x) {
    _Float16 y = x;
    u16 h;
    std::memcpy(&h, &y, 2);
    return h;
}

DEVICE void prefetch(const void*) {}
DEVICE u32x4 load_once(const u32x4* p) { return *p; }

#define MATRIX_UNIT
/** One exchange for the whole product, since a fibre switch costs as much as many multiplications. */
DEVICE void multiply_words(i32 (&c)[4], const u32* a, int words, const u32* b) {
    u32 mine[6] = {};
    std::memcpy(mine, a, 8 * words);
    std::memcpy(mine + 4, b, 4 * words);
    int row = lane() >> 2;
    int column = 2 * (lane() & 3);
    emu::exchange(mine, 6, lane());
    for (int i = 0; i < 4; i++) {
        const u32* left = emu::exchanged(4 * row + i);
        for (int j = 0; j < 2; j++) {
            const u32* right = emu::exchanged(4 * (column + j) + i);
            for (int word = 0; word < words; word++) {
                c[j] = dot4(left[2 * word], right[4 + word], c[j]);
                c[2 + j] = dot4(left[2 * word + 1], right[4 + word], c[2 + j]);
            }
        }
    }
}

DEVICE void multiply_16x8x16(i32 (&c)[4], u32 a0, u32 a1, u32 b) {
    u32 a[2] = {a0, a1};
    multiply_words(c, a, 1, &b);
}

DEVICE void multiply_16x8x32(i32 (&c)[4], const u32 (&a)[4], u32x2 b) { multiply_words(c, a, 2, b.v); }
