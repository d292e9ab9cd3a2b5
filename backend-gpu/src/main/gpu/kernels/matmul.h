// Linear layers. Integer weights: tiles of 16 output rows, segments of 8 blocks of 32 columns (N2), for the matrix unit.
//
// A record (tile, segment) is its quants, u16 words [16 rows][8 blocks], perhaps such words of offsets, and for scales of
// a segment u32 [16 rows]. The host packs it so that each lane of a warp loads its part of a block by one 16-byte load.
// Missing blocks of a last segment are zeros in weights and activations: they add a zero, which changes no bit.
#pragma once

#include "activations.h"

constexpr int TILE_ROWS = 16;

/** Blocks have an offset; their scales are bf16; nibbles hold the integer + 8. */
enum Flag { NONE = 0, OFFSET = 1, BF16_SCALES = 2, ZERO8 = 4 };

/** What scales a block: one scale; an integer per half and a scale per segment; an integer and a scale per segment. */
enum class Scaling { BLOCK, HALF, PRODUCT };

template <bool BYTES, Scaling SCALING, int FLAGS>
struct Form {
    static constexpr bool bytes = BYTES;
    static constexpr Scaling scaling = SCALING;
    static constexpr bool offset = FLAGS & OFFSET;
    static constexpr bool zero8 = FLAGS & ZERO8;
    static constexpr bool bf16_scales = FLAGS & BF16_SCALES;
    static constexpr bool sums = offset || zero8;
    static constexpr bool offset_words = offset && SCALING != Scaling::PRODUCT;
    static constexpr bool segment_words = SCALING != Scaling::BLOCK;
    static constexpr int quant_bytes = BYTES ? 4096 : 2048;
    static constexpr int record_bytes = quant_bytes + (offset_words ? 512 : 256) + (segment_words ? 64 : 0);
};

DEVICE u32 word16(const u32x4& words, int i) { return words.v[i / 2] >> i % 2 * 16 & 0xffff; }

/** Loads N words that are aligned to their own size. */
template <int N>
DEVICE void load_words(u32 (&to)[N], const u8* from) {
    __builtin_memcpy(to, __builtin_assume_aligned(from, N >= 4 ? 16 : 4 * N), sizeof to);
}

/** A lane's weights of SPAN blocks of a record: row lane / 4 of the tile and the row 8 below. */
template <class F, int SPAN>
struct Fragment {
    static constexpr int loads = F::bytes ? SPAN : SPAN / 2;
    u32x4 quants[loads];
    u32 words[2][SPAN / 2];
    u32 offsets[2][SPAN / 2];
    u32 scales[2];

    DEVICE_MEMBER void load(const u8* record, int first) {
        const u32x4* q = reinterpret_cast<const u32x4*>(record) + lane() + 32 * (F::bytes ? first : first / 2);
        UNROLL for (int i = 0; i < loads; i++) { quants[i] = load_once(q + 32 * i); }
        const u8* rows = record + F::quant_bytes;
        const u8* w = rows + (lane() >> 2) * 2 * SEGMENT_BLOCKS + 2 * first;
        UNROLL for (int row = 0; row < 2; row++) {
            load_words(words[row], w + 128 * row);
            if (F::offset_words) {
                load_words(offsets[row], w + 256 + 128 * row);
            }
        }
        if (F::segment_words) {
            const u32* s = reinterpret_cast<const u32*>(rows + (F::offset_words ? 512 : 256)) + (lane() >> 2);
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
    DEVICE_MEMBER f32 scale(int row, int b) const {
        if (F::scaling == Scaling::BLOCK) {
            return F::bf16_scales ? bit_cast<f32>(word(row, b) << 16) : half_to_float(word(row, b));
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

/** A lane's activations of SPAN blocks: the matrix unit's fragment, and scales and sums of its one or two rows. */
template <class F, int SPAN, bool ONE>
struct Columns {
    static constexpr int rows = ONE ? 1 : 2;
    u32x4 quants[SPAN / 2];
    u32 scales[rows][SPAN];
    u32 sums[rows][SPAN];

    /** ONE: every column of the fragment is row `row`. */
    DEVICE_MEMBER void load(const u8* record, int first, int row) {
        int from = ONE ? 4 * row + (lane() & 3) : lane();
        UNROLL for (int i = 0; i < SPAN / 2; i++) {
            quants[i] = reinterpret_cast<const u32x4*>(record)[32 * (first / 2 + i) + from];
        }
        const u8* at = record + ACTIVATION_SCALES + 4 * (SEGMENT_BLOCKS * (ONE ? row : 2 * (lane() & 3)) + first);
        UNROLL for (int i = 0; i < rows; i++) {
            load_words(scales[i], at + 4 * SEGMENT_BLOCKS * i);
            if (F::sums) {
                load_words(sums[i], at + (ACTIVATION_SUMS - ACTIVATION_SCALES) + 4 * SEGMENT_BLOCKS * i);
            }
        }
    }

    DEVICE_MEMBER f32 scale(int i, int b) const { return bit_cast<f32>(scales[i][b]); }
    DEVICE_MEMBER i32 half_sum(int i, int b, int half) const {
        return half == 0 ? i32(i16(sums[i][b])) : i32(sums[i][b]) >> 16;
    }
};

/** A float from an integer that a sum began with ROUNDER_BITS: cheaper than a conversion, exact below 2^22. */
DEVICE f32 exact_float(i32 biased) { return bit_cast<f32>(biased) - ROUNDER; }

/** The integer sums of a block, as f32, for the 2 rows and 2 columns of a lane. */
template <class F, int SPAN, bool ONE>
DEVICE void block_sums(const Fragment<F, SPAN>& w, const Columns<F, SPAN, ONE>& x, int b, f32 (&s)[4]) {
    u32 a[4];
    w.block(b, a);
    u32x2 q = {{x.quants[b / 2].v[b % 2 * 2], x.quants[b / 2].v[b % 2 * 2 + 1]}};
    if (F::scaling == Scaling::HALF) {
        i32 half[2][4] = {};
        UNROLL for (int h = 0; h < 2; h++) {
            if (F::zero8) {
                UNROLL for (int i = 0; i < 4; i++) { half[h][i] = -8 * x.half_sum(ONE ? 0 : i & 1, b, h); }
            }
            if (ONE) {
                multiply_16x1x16(half[h], a[2 * h], a[2 * h + 1], q.v[h]);
            } else {
                multiply_16x8x16(half[h], a[2 * h], a[2 * h + 1], q.v[h]);
            }
        }
        UNROLL for (int i = 0; i < 4; i++) {
            u32 word = w.word(i / 2, b);
            s[i] = f32(i32(i8(word)) * half[0][i] + i32(i8(word >> 8)) * half[1][i]);
        }
    } else {
        i32 c[4] = {ROUNDER_BITS, ROUNDER_BITS, ROUNDER_BITS, ROUNDER_BITS};
        if (F::zero8) {
            UNROLL for (int i = 0; i < 4; i++) {
                int column = ONE ? 0 : i & 1;
                c[i] -= 8 * (x.half_sum(column, b, 0) + x.half_sum(column, b, 1));
            }
        }
        if (ONE) {
            multiply_16x1x32(c, a, q);
        } else {
            multiply_16x8x32(c, a, q);
        }
        UNROLL for (int i = 0; i < 4; i++) { s[i] = exact_float(c[i]); }
    }
}

/**
 * Adds SPAN blocks: acc[2 r + c] belongs to row lane / 4 + 8 r of the tile and row 2 (lane % 4) + c of the activations, or
 * with ONE to row lane / 4 + 8 r and the one row, for even indices.
 */
template <class F, int SPAN, bool ONE>
DEVICE void accumulate(const Fragment<F, SPAN>& w, const Columns<F, SPAN, ONE>& x, f32 (&acc)[4]) {
    UNROLL for (int b = 0; b < SPAN; b++) {
        f32 s[4];
        block_sums(w, x, b, s);
        UNROLL for (int i = 0; i < 4; i += ONE ? 2 : 1) {
            int row = i / 2;
            int column = i % 2;
            acc[i] = multiply_add(s[i], w.scale(row, b) * x.scale(column, b), acc[i]);
            if (F::offset) {
                i32 first = x.half_sum(column, b, 0);
                i32 second = x.half_sum(column, b, 1);
                u32 word = F::scaling == Scaling::HALF ? w.offset_word(row, b) : 0x101;
                f32 t = f32(i32(word & 0xff) * first + i32(word >> 8) * second);
                acc[i] = multiply_add(t, w.offset(row, b) * x.scale(column, b), acc[i]);
            }
        }
    }
}

#define MATMUL_PARAMETERS(Input)                                                                                         \
    (const u8* weights, const Input* x, const f32* bias, f32* y, const i32* ids, i32 out, i32 columns, i32 rows, i32 used, \
     i32 pieces)
#define MATMUL_ARGUMENTS (weights, x, bias, y, ids, out, columns, rows, used, pieces)

/**
 * Segments divided among the warps of a block, their sums added in order; a block computes 16 outputs of TILES * 8 rows,
 * or with ONE of a single row, which may have an expert of its own.
 */
template <class F, int TILES, bool ONE>
DEVICE void split_product MATMUL_PARAMETERS(u8) {
    constexpr int COLUMNS = ONE ? 1 : TILES * TILE_COLUMNS;
    constexpr int OUTPUTS = TILE_ROWS * COLUMNS;
    constexpr int CAPACITY = ONE ? 128 : 64 / TILES;
    SHARED(f32, sums, CAPACITY* OUTPUTS);
    SHARED(f32, totals, OUTPUTS);
    int segments = segments_of(columns);
    int task = block_y() * COLUMNS;
    int expert = ids == nullptr ? 0 : ids[task];
    int row = ids == nullptr || pieces ? task : task / used;
    i64 tile = i64(expert) * ((out + TILE_ROWS - 1) / TILE_ROWS) + block_x();
    const u8* records = weights + tile * segments * F::record_bytes;
    i64 stride = i64(segments) * ACTIVATION_RECORD;
    x += row / TILE_COLUMNS * stride;
    // Where there are fewer tiles of activations, the last one is read again and nobody stores the results.
    int last = (rows - task - 1) / TILE_COLUMNS;
    for (int i = thread(); i < OUTPUTS; i += block_size()) {
        totals[i] = 0.0f;
    }
    for (int base = 0; base < segments; base += CAPACITY) {
        int end = smaller(base + CAPACITY, segments);
        UNROLL_BY(1) for (int s = base + thread() / 32; s < end; s += block_size() / 32) {
            Fragment<F, SEGMENT_BLOCKS> w;
            w.load(records + i64(s) * F::record_bytes, 0);
            f32* to = sums + (s - base) * OUTPUTS + (lane() >> 2);
            UNROLL_TILES for (int n = 0; n < TILES; n++) {
                Columns<F, SEGMENT_BLOCKS, ONE> c;
                c.load(x + (ONE ? 0 : smaller(n, last)) * stride + i64(s) * ACTIVATION_RECORD, 0, row % TILE_COLUMNS);
                f32 acc[4] = {};
                accumulate(w, c, acc);
                UNROLL for (int i = 0; i < 4; i++) {
                    int column = n * TILE_COLUMNS + 2 * (lane() & 3) + i % 2;
                    if (column < COLUMNS) {
                        to[column * TILE_ROWS + i / 2 * 8] = acc[i];
                    }
                }
            }
        }
        barrier();
        for (int i = thread(); i < OUTPUTS; i += block_size()) {
            f32 total = totals[i];
            UNROLL_BY(8) for (int s = 0; s < end - base; s++) { total += sums[s * OUTPUTS + i]; }
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

/**
 * Tiles of weights and of activations that a warp multiplies at once where there are many rows. Without a matrix unit the
 * code for more would be large, and not faster.
 */
#ifdef MATRIX_UNIT
constexpr int WARP_TILES_DOWN = 2;
constexpr int WARP_TILES_ACROSS = 4;
#else
constexpr int WARP_TILES_DOWN = 1;
constexpr int WARP_TILES_ACROSS = 1;
#endif

/** All segments of M tiles of weights from `tile` on times N tiles of activations from `column` on. */
template <class F, int M, int N>
DEVICE void multiply_tiles(const u8* weights, const u8* x, const f32* bias, f32* y, int out, int segments, int rows, int tile,
                           int column) {
    constexpr int SPAN = 2;
    int last_tile = (out - 1) / TILE_ROWS;
    int last_column = (rows - 1) / TILE_COLUMNS;
    const u8* w[M];
    const u8* c[N];
    UNROLL for (int m = 0; m < M; m++) {
        w[m] = weights + i64(smaller(tile + m, last_tile)) * segments * F::record_bytes;
    }
    UNROLL for (int n = 0; n < N; n++) { c[n] = x + i64(smaller(column + n, last_column)) * segments * ACTIVATION_RECORD; }
    f32 total[M][N][4] = {};
    Fragment<F, SPAN> next[M];
    UNROLL for (int m = 0; m < M; m++) { next[m].load(w[m], 0); }
    UNROLL_BY(1) for (int s = 0; s < segments; s++) {
        f32 acc[M][N][4] = {};
        UNROLL_BY(1) for (int b = 0; b < SEGMENT_BLOCKS; b += SPAN) {
            Fragment<F, SPAN> now[M];
            UNROLL for (int m = 0; m < M; m++) { now[m] = next[m]; }
            int following = s * SEGMENT_BLOCKS + b + SPAN;
            if (following < segments * SEGMENT_BLOCKS) {
                UNROLL for (int m = 0; m < M; m++) {
                    next[m].load(w[m] + i64(following / SEGMENT_BLOCKS) * F::record_bytes, following % SEGMENT_BLOCKS);
                }
            }
            Columns<F, SPAN, false> v[N];
            UNROLL for (int n = 0; n < N; n++) { v[n].load(c[n] + i64(s) * ACTIVATION_RECORD, b, 0); }
            UNROLL for (int n = 0; n < N; n++) {
                UNROLL for (int m = 0; m < M; m++) { accumulate(now[m], v[n], acc[m][n]); }
            }
        }
        UNROLL for (int m = 0; m < M; m++) {
            UNROLL for (int n = 0; n < N; n++) {
                UNROLL for (int i = 0; i < 4; i++) { total[m][n][i] += acc[m][n][i]; }
            }
        }
    }
    UNROLL for (int m = 0; m < M; m++) {
        UNROLL for (int n = 0; n < N; n++) {
            UNROLL for (int i = 0; i < 4; i++) {
                int o = (tile + m) * TILE_ROWS + (lane() >> 2) + i / 2 * 8;
                int r = (column + n) * TILE_COLUMNS + 2 * (lane() & 3) + i % 2;
                if (o < out && r < rows) {
                    y[i64(r) * out + o] = bias == nullptr ? total[m][n][i] : total[m][n][i] + bias[o];
                }
            }
        }
    }
}

/** For many rows: four warps compute 64 outputs of 64 rows, a quarter each. */
template <class F>
DEVICE void whole_product MATMUL_PARAMETERS(u8) {
    int warp = thread() / 32;
    UNROLL_BY(1) for (int m = 0; m < 2; m += WARP_TILES_DOWN) {
        UNROLL_BY(1) for (int n = 0; n < 4; n += WARP_TILES_ACROSS) {
            int tile = block_x() * 4 + warp / 2 * 2 + m;
            int column = block_y() * 8 + warp % 2 * 4 + n;
            if (tile * TILE_ROWS < out && column * TILE_COLUMNS < rows) {
                multiply_tiles<F, WARP_TILES_DOWN, WARP_TILES_ACROSS>(weights, x, bias, y, out, segments_of(columns), rows,
                                                                      tile, column);
            }
        }
    }
}

#define FEW_ROWS_MATMUL(name, ...)                                                                                       \
    KERNEL(matmul_##name##_1, 256, MATMUL_PARAMETERS(u8)) { split_product<__VA_ARGS__, 1, true> MATMUL_ARGUMENTS; }      \
    KERNEL(matmul_##name##_8, 256, MATMUL_PARAMETERS(u8)) { split_product<__VA_ARGS__, 1, false> MATMUL_ARGUMENTS; }
#define ANY_ROWS_MATMUL(name, ...)                                                                                       \
    FEW_ROWS_MATMUL(name, __VA_ARGS__)                                                                                   \
    KERNEL(matmul_##name##_16, 256, MATMUL_PARAMETERS(u8)) { split_product<__VA_ARGS__, 2, false> MATMUL_ARGUMENTS; }    \
    KERNEL(matmul_##name##_32, 256, MATMUL_PARAMETERS(u8)) { split_product<__VA_ARGS__, 4, false> MATMUL_ARGUMENTS; }    \
    KERNEL(matmul_##name##_64, 128, MATMUL_PARAMETERS(u8)) { whole_product<__VA_ARGS__> MATMUL_ARGUMENTS; }

ANY_ROWS_MATMUL(q8_block, Form<true, Scaling::BLOCK, NONE>)
ANY_ROWS_MATMUL(q8_half, Form<true, Scaling::HALF, NONE>)
ANY_ROWS_MATMUL(q8_product, Form<true, Scaling::PRODUCT, OFFSET>)
ANY_ROWS_MATMUL(q4_product, Form<false, Scaling::PRODUCT, OFFSET>)
ANY_ROWS_MATMUL(q4_block_zero8, Form<false, Scaling::BLOCK, ZERO8>)
FEW_ROWS_MATMUL(q8_block_offset, Form<true, Scaling::BLOCK, OFFSET>)
FEW_ROWS_MATMUL(q8_block_bf16, Form<true, Scaling::BLOCK, BF16_SCALES>)
FEW_ROWS_MATMUL(q4_block_offset, Form<false, Scaling::BLOCK, OFFSET>)
FEW_ROWS_MATMUL(q4_half_offset, Form<false, Scaling::HALF, OFFSET>)
FEW_ROWS_MATMUL(q4_half_zero8, Form<false, Scaling::HALF, ZERO8>)

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
