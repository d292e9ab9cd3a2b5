// Activations as int8 (N2), alone or as the last step of an op whose result only matrices read.
//
// A record is a segment (8 blocks of 32 columns) of 8 rows: quants [pair of blocks][lane][16 bytes] as the matrix unit
// wants them, scales f32 [8 rows][8 blocks], and both half sums of each block as 16-bit numbers, u32 [8 rows][8 blocks].
// Blocks beyond the last column are zeros; rows beyond the last are never looked at, and may hold anything.
#pragma once

#include "numeric.h"

constexpr int TILE_COLUMNS = 8;
constexpr int SEGMENT_BLOCKS = 8;
constexpr int SEGMENT_COLUMNS = 32 * SEGMENT_BLOCKS;
constexpr int ACTIVATION_RECORD = 2560;
constexpr int ACTIVATION_SCALES = 2048;
constexpr int ACTIVATION_SUMS = 2304;

DEVICE int segments_of(int columns) { return (columns + SEGMENT_COLUMNS - 1) / SEGMENT_COLUMNS; }

DEVICE f32 block_scale(u32 magnitude) {
    f32 amax = bit_cast<f32>(magnitude);
    return amax < 0x1p-100f ? 0.0f : amax / 127.0f;
}

DEVICE i32 quantised(f32 x, f32 inverse) {
    f32 rounded = (x * inverse + ROUNDER) - ROUNDER;
    return rounded == rounded ? i32(rounded) : 0;
}

/** Stores a block of a row; eight lanes call with columns 4 part to 4 part + 3 each, all lanes of a warp at once. */
DEVICE void store_block(u8* xq, int segments, int row, int block, int part, const f32 (&v)[4], bool wanted) {
    // As integers, magnitudes order like floats and NaN is the largest.
    u32 largest = 0;
    UNROLL for (int i = 0; i < 4; i++) {
        u32 magnitude = bit_cast<u32>(absolute(v[i]));
        largest = magnitude > largest ? magnitude : largest;
    }
    u32 other = shuffle_xor<4>(largest);
    largest = other > largest ? other : largest;
    other = shuffle_xor<2>(largest);
    largest = other > largest ? other : largest;
    other = shuffle_xor<1>(largest);
    largest = other > largest ? other : largest;
    f32 d = block_scale(largest);
    f32 inverse = d == 0.0f ? 0.0f : 1.0f / d;
    u32 packed = 0;
    i32 sum = 0;
    UNROLL for (int i = 0; i < 4; i++) {
        i32 q = quantised(v[i], inverse);
        packed |= u32(q & 0xff) << 8 * i;
        sum += q;
    }
    u32 half = u32(sum);
    half += shuffle_xor<2>(half);
    half += shuffle_xor<1>(half);
    u32 other_half = shuffle_xor<4>(half);
    if (wanted) {
        u8* record = xq + (i64(row / TILE_COLUMNS) * segments + block / SEGMENT_BLOCKS) * ACTIVATION_RECORD;
        int column = row % TILE_COLUMNS;
        int b = block % SEGMENT_BLOCKS;
        *reinterpret_cast<u32*>(record + 512 * (b / 2) + 16 * (4 * column + part % 4) + 8 * (b % 2) + part / 4 * 4) = packed;
        if (part == 0) {
            u8* at = record + 4 * (SEGMENT_BLOCKS * column + b);
            *reinterpret_cast<f32*>(at + ACTIVATION_SCALES) = d;
            *reinterpret_cast<u32*>(at + ACTIVATION_SUMS) = (half & 0xffff) | other_half << 16;
        }
    }
}

/** Stores a block of a row; all 32 lanes of a warp call with a column each. */
DEVICE void store_column(u8* xq, int columns, int row, int column, f32 v) {
    u32 largest = bit_cast<u32>(absolute(v));
    u32 other = shuffle_xor<16>(largest);
    largest = other > largest ? other : largest;
    other = shuffle_xor<8>(largest);
    largest = other > largest ? other : largest;
    other = shuffle_xor<4>(largest);
    largest = other > largest ? other : largest;
    other = shuffle_xor<2>(largest);
    largest = other > largest ? other : largest;
    other = shuffle_xor<1>(largest);
    largest = other > largest ? other : largest;
    f32 d = block_scale(largest);
    i32 q = quantised(v, d == 0.0f ? 0.0f : 1.0f / d);
    u32 half = u32(q);
    half += shuffle_xor<8>(half);
    half += shuffle_xor<4>(half);
    half += shuffle_xor<2>(half);
    half += shuffle_xor<1>(half);
    u32 other_half = shuffle_xor<16>(half);
    int block = column / 32;
    int b = block % SEGMENT_BLOCKS;
    u8* record =
        xq + (i64(row / TILE_COLUMNS) * segments_of(columns) + block / SEGMENT_BLOCKS) * ACTIVATION_RECORD;
    int c = column % 32;
    record[512 * (b / 2) + 16 * (4 * (row % TILE_COLUMNS) + c % 16 / 4) + 8 * (b % 2) + c / 16 * 4 + c % 4] = u8(q);
    if (c == 0) {
        u8* at = record + 4 * (SEGMENT_BLOCKS * (row % TILE_COLUMNS) + b);
        *reinterpret_cast<f32*>(at + ACTIVATION_SCALES) = d;
        *reinterpret_cast<u32*>(at + ACTIVATION_SUMS) = (half & 0xffff) | other_half << 16;
    }
}

/** Where a group of eight lanes works when rows are cut into blocks of 32 columns, 32 groups to a thread block. */
struct BlockAt {
    int segments;
    int row;
    int block;
    int part;
    i64 first;
    bool inside;
};

DEVICE BlockAt block_at(int rows, int columns) {
    BlockAt at;
    at.segments = segments_of(columns);
    int index = block_x() * 32 + thread() / 8;
    at.row = index / (at.segments * SEGMENT_BLOCKS);
    at.block = index % (at.segments * SEGMENT_BLOCKS);
    at.part = thread() & 7;
    at.first = i64(at.row) * columns + 32 * at.block + 4 * at.part;
    at.inside = at.row < rows && 32 * at.block < columns;
    return at;
}

KERNEL(quantize, 256, (const f32* x, u8* xq, i32 rows, i32 columns)) {
    BlockAt at = block_at(rows, columns);
    f32 v[4] = {};
    if (at.inside) {
        UNROLL for (int i = 0; i < 4; i++) { v[i] = x[at.first + i]; }
    }
    store_block(xq, at.segments, at.row, at.block, at.part, v, at.row < rows);
}

/** gate, then quantize; y may be absent. */
KERNEL(gate_quantize, 256, (const f32* a, const f32* b, f32* y, u8* xq, i32 rows, i32 columns, i32 activation)) {
    BlockAt at = block_at(rows, columns);
    f32 v[4] = {};
    if (at.inside) {
        UNROLL for (int i = 0; i < 4; i++) {
            v[i] = activate(activation, a[at.first + i]) * b[at.first + i];
            if (y != nullptr) {
                y[at.first + i] = v[i];
            }
        }
    }
    store_block(xq, at.segments, at.row, at.block, at.part, v, at.row < rows);
}

constexpr int MOST_NORM_COLUMNS = 8192;

/**
 * add, rms_norm and quantize of whole rows of n columns, one thread block per row: s = a + b, y = norm(s).
 *
 * b, gain, s and y may be absent; n is a multiple of 32 and at most MOST_NORM_COLUMNS.
 */
KERNEL(norm_quantize, 256,
       (const f32* a, const f32* b, const f32* gain, f32* s, f32* y, u8* xq, i32 n, f32 epsilon)) {
    SHARED(f32, row, MOST_NORM_COLUMNS);
    SHARED(f32, result, 1);
    i64 at = i64(block_x()) * n;
    UNROLL_BY(4) for (int i = 4 * thread(); i < n; i += 4 * block_size()) {
        u32x4 left = *reinterpret_cast<const u32x4*>(a + at + i);
        u32x4 right = {};
        if (b != nullptr) {
            right = *reinterpret_cast<const u32x4*>(b + at + i);
        }
        UNROLL for (int j = 0; j < 4; j++) {
            f32 x = bit_cast<f32>(left.v[j]);
            x = b == nullptr ? x : x + bit_cast<f32>(right.v[j]);
            row[i + j] = x;
            if (s != nullptr) {
                s[at + i + j] = x;
            }
        }
    }
    barrier();
    if (thread() < 32) {
        f32 partial = 0.0f;
        UNROLL_BY(16) for (int i = thread(); i < n; i += 32) { partial = multiply_add(row[i], row[i], partial); }
        f32 sum = butterfly(partial);
        if (thread() == 0) {
            *result = 1.0f / square_root(sum / f32(n) + epsilon);
        }
    }
    barrier();
    f32 r = *result;
    int segments = segments_of(n);
    for (int i = 4 * thread(); i < segments * SEGMENT_COLUMNS; i += 4 * block_size()) {
        f32 v[4] = {};
        if (i < n) {
            UNROLL for (int j = 0; j < 4; j++) {
                v[j] = row[i + j] * r;
                v[j] = gain == nullptr ? v[j] : v[j] * gain[i + j];
                if (y != nullptr) {
                    y[at + i + j] = v[j];
                }
            }
        }
        store_block(xq, segments, block_x(), i / 32, thread() & 7, v, true);
    }
}
