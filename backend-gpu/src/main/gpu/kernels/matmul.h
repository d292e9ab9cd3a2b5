// Linear layers. Integer weights: tiles of 16 output rows, segments of 8 blocks of 32 columns (N2), for the matrix unit.
//
// A record (tile, segment) is its quants, u16 words [16 rows][8 blocks], perhaps such words of offsets, and for scales of
// a segment u32 [16 rows]. The host packs it so that each lane of a warp loads its part of a block by one 16-byte load.
#pragma once

#include "numeric.h"

constexpr int TILE_ROWS = 16;
constexpr int SEGMENT_BLOCKS = 8;
constexpr int TILE_COLUMNS = 8;
constexpr int ACTIVATION_RECORD = 320;

enum Flag { OFFSET = 1, BF16_SCALES = 2, ZERO8 = 4 };

/** What scales a block: one scale; an integer per half and a scale per segment; an integer and a scale per segment. */
enum class Scaling { BLOCK, HALF, PRODUCT };

template <bool BYTES, Scaling SCALING>
struct Form {
    static constexpr bool bytes = BYTES;
    static constexpr Scaling scaling = SCALING;
    static constexpr int quant_bytes = BYTES ? 4096 : 2048;
    static constexpr bool segment_words = SCALING != Scaling::BLOCK;
};

template <class F>
DEVICE int record_bytes(int flags) {
    bool offsets = F::scaling != Scaling::PRODUCT && (flags & OFFSET);
    return F::quant_bytes + (offsets ? 512 : 256) + (F::segment_words ? 64 : 0);
}

DEVICE u32 word16(const u32x4& words, int i) { return words.v[i / 2] >> i % 2 * 16 & 0xffff; }

/** A lane's weights of SPAN blocks of a record: row lane / 4 of the tile and the row 8 below. */
template <class F, int SPAN>
struct Fragment {
    static constexpr int loads = F::bytes ? SPAN : SPAN / 2;
    u32x4 quants[loads];
    u32 words[2][SPAN / 2];
    u32 offsets[2][SPAN / 2];
    u32 scales[2];

    DEVICE_MEMBER static void load_words(u32 (&to)[SPAN / 2], const u8* from) {
        if constexpr (SPAN == SEGMENT_BLOCKS) {
            u32x4 all = load_once(reinterpret_cast<const u32x4*>(from));
            UNROLL for (int i = 0; i < SPAN / 2; i++) { to[i] = all.v[i]; }
        } else {
            UNROLL for (int i = 0; i < SPAN / 2; i++) { to[i] = reinterpret_cast<const u32*>(from)[i]; }
        }
    }

    /** Loads blocks first to first + SPAN - 1, of which those from `blocks` on do not exist. */
    DEVICE_MEMBER void load(const u8* record, int first, int blocks, int flags) {
        const u32x4* q = reinterpret_cast<const u32x4*>(record) + lane();
        UNROLL for (int i = 0; i < loads; i++) {
            int load = (F::bytes ? first : first / 2) + i;
            if (F::bytes ? load < blocks : 2 * load < blocks) {
                quants[i] = load_once(q + 32 * load);
            }
        }
        const u8* rows = record + F::quant_bytes;
        const u8* w = rows + (lane() >> 2) * 2 * SEGMENT_BLOCKS + 2 * first;
        load_words(words[0], w);
        load_words(words[1], w + 128);
        if (F::scaling != Scaling::PRODUCT && (flags & OFFSET)) {
            load_words(offsets[0], w + 256);
            load_words(offsets[1], w + 384);
            rows += 256;
        }
        if (F::segment_words) {
            const u32* s = reinterpret_cast<const u32*>(rows + 256) + (lane() >> 2);
            scales[0] = s[0];
            scales[1] = s[8];
        }
    }

    DEVICE_MEMBER u32 word(int row, int b) const { return words[row][b / 2] >> b % 2 * 16 & 0xffff; }
    DEVICE_MEMBER u32 offset_word(int row, int b) const { return offsets[row][b / 2] >> b % 2 * 16 & 0xffff; }

    DEVICE_MEMBER void block(int b, u32 (&a)[4]) const {
        if (F::bytes) {
            UNROLL for (int i = 0; i < 4; i++) { a[i] = quants[b].v[i]; }
        } else {
            UNROLL for (int i = 0; i < 2; i++) {
                u32 nibbles = quants[b / 2].v[b % 2 * 2 + i];
                a[i] = nibbles & 0x0f0f0f0f;
                a[2 + i] = nibbles >> 4 & 0x0f0f0f0f;
            }
        }
    }

    /** Scale of block b in one of the two rows (dw of the contract). */
    DEVICE_MEMBER f32 scale(int row, int b, int flags) const {
        if (F::scaling == Scaling::BLOCK) {
            return flags & BF16_SCALES ? bit_cast<f32>(word(row, b) << 16) : half_to_float(word(row, b));
        }
        f32 d = half_to_float(scales[row] & 0xffff);
        return F::scaling == Scaling::HALF ? d : d * f32(i32(i8(word(row, b))));
    }

    /** Offset of block b in one of the two rows (ow of the contract). */
    DEVICE_MEMBER f32 offset(int row, int b) const {
        if (F::scaling == Scaling::BLOCK) {
            return half_to_float(offset_word(row, b));
        }
        f32 m = half_to_float(scales[row] >> 16);
        return F::scaling == Scaling::HALF ? m : m * f32(word(row, b) >> 8);
    }
};

DEVICE f32 exact_float(i32 biased) { return bit_cast<f32>(biased) - ROUNDER; }

/**
 * The integer sum of a block, as f32, for the 2 rows and 2 columns of a lane; sums holds both half sums of activations
 * of a column as 16-bit numbers.
 */
template <class F, int SPAN>
DEVICE void block_sums(const Fragment<F, SPAN>& w, int b, const u32 (&a)[4], u32x2 x, u32x2 sums, int flags, f32 (&s)[4]) {
    if (F::scaling == Scaling::HALF) {
        i32 half[2][4] = {};
        UNROLL for (int h = 0; h < 2; h++) {
            if (flags & ZERO8) {
                UNROLL for (int i = 0; i < 4; i++) { half[h][i] = -8 * i32(i16(sums.v[i & 1] >> 16 * h)); }
            }
            multiply_16x8x16(half[h], a[2 * h], a[2 * h + 1], x.v[h]);
        }
        UNROLL for (int i = 0; i < 4; i++) {
            u32 word = w.word(i / 2, b);
            s[i] = f32(i32(i8(word)) * half[0][i] + i32(i8(word >> 8)) * half[1][i]);
        }
    } else {
        i32 c[4] = {ROUNDER_BITS, ROUNDER_BITS, ROUNDER_BITS, ROUNDER_BITS};
        if (!F::bytes && (flags & ZERO8)) {
            UNROLL for (int i = 0; i < 4; i++) {
                c[i] -= 8 * (i32(i16(sums.v[i & 1])) + (i32(sums.v[i & 1]) >> 16));
            }
        }
        multiply_16x8x32(c, a, x);
        UNROLL for (int i = 0; i < 4; i++) { s[i] = exact_float(c[i]); }
    }
}

/** The integer of the offset term, as f32. */
template <class F, int SPAN>
DEVICE f32 offset_sum(const Fragment<F, SPAN>& w, int row, int b, u32 sums) {
    i32 first = i16(sums);
    i32 second = i32(sums) >> 16;
    if (F::scaling == Scaling::HALF) {
        u32 word = w.offset_word(row, b);
        return f32(i32(word & 0xff) * first + i32(word >> 8) * second);
    }
    return f32(first + second);
}

/**
 * Adds SPAN blocks: acc[n][2 r + c] belongs to row lane / 4 + 8 r of the tile and column 2 (lane % 4) + c of the n-th 8
 * rows of activations. ONE: only activation row `column` counts, as column 0. Where there are fewer tiles of activations,
 * the last one is read again and nobody stores the results.
 *
 * @param x the activations of the first of the blocks
 */
template <class F, int SPAN, int TILES, bool ONE>
DEVICE void accumulate(const Fragment<F, SPAN>& w, const u8* x, i64 x_stride, int last, int blocks, int flags, int column,
                       f32 (&acc)[TILES][4]) {
    int first = ONE ? column : 2 * (lane() & 3);
    int from = ONE ? 4 * column + (lane() & 3) : lane();
    bool sums_needed = flags & (OFFSET | ZERO8);
    UNROLL for (int b = 0; b < SPAN; b++) {
        if (b < blocks) {
            u32 a[4];
            w.block(b, a);
            f32 scale[2] = {w.scale(0, b, flags), w.scale(1, b, flags)};
            f32 offset[2] = {};
            if (flags & OFFSET) {
                offset[0] = w.offset(0, b);
                offset[1] = w.offset(1, b);
            }
            UNROLL for (int n = 0; n < TILES; n++) {
                const u8* at = x + smaller(n, last) * x_stride + b * ACTIVATION_RECORD;
                u32x2 q = {};
                if (!ONE || lane() < 4) {
                    q = *reinterpret_cast<const u32x2*>(at + 8 * from);
                }
                u32x2 d = {};
                u32x2 sums = {};
                if (ONE) {
                    d.v[0] = *reinterpret_cast<const u32*>(at + 256 + 4 * first);
                    sums.v[0] = sums_needed ? *reinterpret_cast<const u32*>(at + 288 + 4 * first) : 0;
                } else {
                    d = *reinterpret_cast<const u32x2*>(at + 256 + 4 * first);
                    if (sums_needed) {
                        sums = *reinterpret_cast<const u32x2*>(at + 288 + 4 * first);
                    }
                }
                f32 s[4];
                block_sums(w, b, a, q, sums, flags, s);
                UNROLL for (int i = 0; i < 4; i++) {
                    if (!ONE || i % 2 == 0) {
                        f32 da = bit_cast<f32>(d.v[i & 1]);
                        f32 sum = multiply_add(s[i], scale[i / 2] * da, acc[n][i]);
                        if (flags & OFFSET) {
                            sum = multiply_add(offset_sum(w, i / 2, b, sums.v[i & 1]), offset[i / 2] * da, sum);
                        }
                        acc[n][i] = sum;
                    }
                }
            }
        }
    }
}

#define MATMUL_PARAMETERS(Input)                                                                                     \
    (const u8* weights, const Input* x, const f32* bias, f32* y, const i32* ids, i32 out, i32 columns, i32 rows, i32 flags, \
     i32 used, i32 pieces)

/** Segments divided among the warps of a block, their sums added in order. */
template <class F, int TILES, bool ONE>
DEVICE void split_product MATMUL_PARAMETERS(u8) {
    constexpr int COLUMNS = ONE ? 1 : TILES * TILE_COLUMNS;
    constexpr int OUTPUTS = TILE_ROWS * COLUMNS;
    constexpr int CAPACITY = ONE ? 128 : 32;
    SHARED(f32, sums, CAPACITY * OUTPUTS);
    SHARED(f32, totals, OUTPUTS);
    int blocks = columns / 32;
    int segments = (blocks + SEGMENT_BLOCKS - 1) / SEGMENT_BLOCKS;
    int task = ONE ? block_y() : 0;
    int expert = ids == nullptr ? 0 : ids[task];
    int row = ids == nullptr || pieces ? task : task / used;
    int bytes = record_bytes<F>(flags);
    i64 tile = i64(expert) * ((out + TILE_ROWS - 1) / TILE_ROWS) + block_x();
    const u8* records = weights + tile * segments * bytes;
    i64 x_stride = i64(blocks) * ACTIVATION_RECORD;
    x += row / TILE_COLUMNS * x_stride;
    for (int i = thread(); i < OUTPUTS; i += block_size()) {
        totals[i] = 0.0f;
    }
    for (int base = 0; base < segments; base += CAPACITY) {
        int end = smaller(base + CAPACITY, segments);
        for (int s = base + thread() / 32; s < end; s += block_size() / 32) {
            f32 acc[TILES][4] = {};
            int first = s * SEGMENT_BLOCKS;
            int count = smaller(SEGMENT_BLOCKS, blocks - first);
            Fragment<F, SEGMENT_BLOCKS> w;
            w.load(records + i64(s) * bytes, 0, count, flags);
            accumulate<F, SEGMENT_BLOCKS, TILES, ONE>(w, x + i64(first) * ACTIVATION_RECORD, x_stride,
                                                      (rows - 1) / TILE_COLUMNS, count, flags, row % TILE_COLUMNS, acc);
            f32* to = sums + (s - base) * OUTPUTS + (lane() >> 2);
            UNROLL for (int n = 0; n < TILES; n++) {
                UNROLL for (int i = 0; i < 4; i++) {
                    int column = n * TILE_COLUMNS + 2 * (lane() & 3) + i % 2;
                    if (column < COLUMNS) {
                        to[column * TILE_ROWS + i / 2 * 8] = acc[n][i];
                    }
                }
            }
        }
        barrier();
        for (int i = thread(); i < OUTPUTS; i += block_size()) {
            f32 total = totals[i];
            for (int s = 0; s < end - base; s++) {
                total += sums[s * OUTPUTS + i];
            }
            totals[i] = total;
        }
        if (end < segments) {
            barrier();
        }
    }
    for (int i = thread(); i < OUTPUTS; i += block_size()) {
        int o = block_x() * TILE_ROWS + i % TILE_ROWS;
        int r = task + i / TILE_ROWS;
        if (o < out && r < rows) {
            f32 total = totals[i];
            y[i64(r) * out + o] = bias == nullptr ? total : total + bias[i64(expert) * out + o];
        }
    }
}

/** Each warp has its own 16 outputs and all segments: for many rows. */
template <class F, int TILES>
DEVICE void whole_product MATMUL_PARAMETERS(u8) {
    constexpr int SPAN = 2;
    int blocks = columns / 32;
    int segments = (blocks + SEGMENT_BLOCKS - 1) / SEGMENT_BLOCKS;
    int tile = block_x() * (block_size() / 32) + thread() / 32;
    int bytes = record_bytes<F>(flags);
    int first_row = block_y() * TILES * TILE_COLUMNS;
    if (tile * TILE_ROWS >= out) {
        return;
    }
    const u8* records = weights + i64(tile) * segments * bytes;
    i64 x_stride = i64(blocks) * ACTIVATION_RECORD;
    int last = (rows - first_row - 1) / TILE_COLUMNS;
    x += first_row / TILE_COLUMNS * x_stride;
    f32 total[TILES][4] = {};
    Fragment<F, SPAN> next;
    next.load(records, 0, smaller(SEGMENT_BLOCKS, blocks), flags);
    for (int s = 0; s < segments; s++) {
        f32 acc[TILES][4] = {};
        int first = s * SEGMENT_BLOCKS;
        int count = smaller(SEGMENT_BLOCKS, blocks - first);
        UNROLL_BY(1) for (int b = 0; b < count; b += SPAN) {
            Fragment<F, SPAN> w = next;
            if (b + SPAN < count) {
                next.load(records + i64(s) * bytes, b + SPAN, count, flags);
            } else if (s + 1 < segments) {
                next.load(records + i64(s + 1) * bytes, 0, smaller(SEGMENT_BLOCKS, blocks - first - SEGMENT_BLOCKS), flags);
            }
            accumulate<F, SPAN, TILES, false>(w, x + i64(first + b) * ACTIVATION_RECORD, x_stride, last, count - b, flags,
                                              0, acc);
        }
        UNROLL for (int n = 0; n < TILES; n++) {
            UNROLL for (int i = 0; i < 4; i++) { total[n][i] += acc[n][i]; }
        }
    }
    UNROLL for (int n = 0; n < TILES; n++) {
        UNROLL for (int i = 0; i < 4; i++) {
            int o = tile * TILE_ROWS + (lane() >> 2) + i / 2 * 8;
            int r = first_row + n * TILE_COLUMNS + 2 * (lane() & 3) + i % 2;
            if (o < out && r < rows) {
                y[i64(r) * out + o] = bias == nullptr ? total[n][i] : total[n][i] + bias[o];
            }
        }
    }
}

#define MATMUL_ARGUMENTS (weights, x, bias, y, ids, out, columns, rows, flags, used, pieces)
#define INTEGER_MATMUL(name, bytes, scaling)                                                             \
    KERNEL(matmul_##name##_1, 512, MATMUL_PARAMETERS(u8)) {                                              \
        split_product<Form<bytes, Scaling::scaling>, 1, true> MATMUL_ARGUMENTS;                          \
    }                                                                                                    \
    KERNEL(matmul_##name##_8, 512, MATMUL_PARAMETERS(u8)) {                                              \
        split_product<Form<bytes, Scaling::scaling>, 1, false> MATMUL_ARGUMENTS;                         \
    }                                                                                                    \
    KERNEL(matmul_##name##_16, 512, MATMUL_PARAMETERS(u8)) {                                             \
        split_product<Form<bytes, Scaling::scaling>, 2, false> MATMUL_ARGUMENTS;                         \
    }                                                                                                    \
    KERNEL(matmul_##name##_64, 128, MATMUL_PARAMETERS(u8)) {                                             \
        whole_product<Form<bytes, Scaling::scaling>, 8> MATMUL_ARGUMENTS;                                \
    }

INTEGER_MATMUL(q8_block, true, BLOCK)
INTEGER_MATMUL(q8_half, true, HALF)
INTEGER_MATMUL(q8_product, true, PRODUCT)
INTEGER_MATMUL(q4_block, false, BLOCK)
INTEGER_MATMUL(q4_half, false, HALF)
INTEGER_MATMUL(q4_product, false, PRODUCT)

/**
 * Activations as int8 (N2). A record holds a block of 8 rows: the bytes that each lane of the matrix unit's fragment needs,
 * 8 scales, and 8 pairs of half sums. Eight lanes share a block of 32.
 */
KERNEL(quantize, 256, (const f32* x, u8* xq, i32 rows, i32 columns)) {
    int blocks = columns / 32;
    int padded = (rows + TILE_COLUMNS - 1) / TILE_COLUMNS * TILE_COLUMNS;
    int part = thread() & 7;
    int index = block_x() * 32 + thread() / 8;
    int row = index / blocks;
    int block = index % blocks;
    f32 v[4] = {};
    if (row < rows) {
        UNROLL for (int i = 0; i < 4; i++) { v[i] = x[i64(row) * columns + 32 * block + 4 * part + i]; }
    }
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
    f32 amax = bit_cast<f32>(largest);
    f32 d = amax < 0x1p-100f ? 0.0f : amax / 127.0f;
    f32 inverse = d == 0.0f ? 0.0f : 1.0f / d;
    u32 packed = 0;
    i32 sum = 0;
    UNROLL for (int i = 0; i < 4; i++) {
        f32 rounded = (v[i] * inverse + ROUNDER) - ROUNDER;
        i32 q = rounded == rounded ? i32(rounded) : 0;
        packed |= u32(q & 0xff) << 8 * i;
        sum += q;
    }
    u32 half = u32(sum);
    half += shuffle_xor<2>(half);
    half += shuffle_xor<1>(half);
    u32 other_half = shuffle_xor<4>(half);
    if (row < padded) {
        u8* record = xq + (i64(row / TILE_COLUMNS) * blocks + block) * ACTIVATION_RECORD;
        int column = row % TILE_COLUMNS;
        *reinterpret_cast<u32*>(record + (4 * column + part % 4) * 8 + part / 4 * 4) = packed;
        if (part == 0) {
            *reinterpret_cast<f32*>(record + 256 + 4 * column) = d;
            *reinterpret_cast<u32*>(record + 288 + 4 * column) = (half & 0xffff) | other_half << 16;
        }
    }
}

enum class Element { F32, F16, BF16 };

template <Element TYPE>
DEVICE f32 element_of(const u32x4& chunk, int i) {
    if (TYPE == Element::F32) {
        return bit_cast<f32>(chunk.v[i % 4]);
    }
    u32 word = word16(chunk, i);
    return TYPE == Element::F16 ? half_to_float(word) : bit_cast<f32>(word << 16);
}

/** The f32 rule (N2): one warp per output, lane p keeping partial p. */
template <Element TYPE, int ROWS>
DEVICE void float_product MATMUL_PARAMETERS(f32) {
    constexpr int PER_LANE = TYPE == Element::F32 ? 4 : 8;
    int o = block_x() * 8 + thread() / 32;
    if (o >= out) {
        return;
    }
    int task = block_y() * ROWS;
    int expert = ids == nullptr ? 0 : ids[task];
    i64 row = ids == nullptr || pieces ? task : task / used;
    int chunks = (columns + 32 * PER_LANE - 1) / (32 * PER_LANE);
    const u32x4* row_chunks = reinterpret_cast<const u32x4*>(weights) + (i64(expert) * out + o) * chunks * 32 + lane();
    x += row * columns;
    f32 partial[ROWS] = {};
    for (int c = 0; c < chunks; c++) {
        u32x4 chunk = load_once(row_chunks + 32 * c);
        UNROLL for (int i = 0; i < PER_LANE; i++) {
            int column = (c * PER_LANE + i) * 32 + lane();
            if (column < columns) {
                f32 weight = element_of<TYPE>(chunk, i);
                UNROLL for (int r = 0; r < ROWS; r++) {
                    if (r == 0 || task + r < rows) {
                        partial[r] = multiply_add(weight, x[i64(r) * columns + column], partial[r]);
                    }
                }
            }
        }
    }
    UNROLL for (int r = 0; r < ROWS; r++) {
        f32 sum = butterfly(partial[r]);
        if (lane() == 0 && task + r < rows) {
            y[i64(task + r) * out + o] = bias == nullptr ? sum : sum + bias[i64(expert) * out + o];
        }
    }
}

#define FLOAT_MATMUL(name, type)                                                                              \
    KERNEL(matmul_##name##_1, 256, MATMUL_PARAMETERS(f32)) { float_product<Element::type, 1> MATMUL_ARGUMENTS; } \
    KERNEL(matmul_##name##_8, 256, MATMUL_PARAMETERS(f32)) { float_product<Element::type, 8> MATMUL_ARGUMENTS; }

FLOAT_MATMUL(f32, F32)
FLOAT_MATMUL(f16, F16)
FLOAT_MATMUL(bf16, BF16)
