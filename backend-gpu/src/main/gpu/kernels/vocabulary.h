// The best columns of a row of logits, and log-probabilities.
#pragma once

#include "numeric.h"

/** Values that are summed together (N2). */
constexpr int VOCABULARY_CHUNK = 4096;
/** Values that a warp ranks. */
constexpr int WARP_VALUES = 512;
constexpr int LISTS_PER_CHUNK = VOCABULARY_CHUNK / WARP_VALUES;
constexpr int MOST_LISTS = 4096;

/** Scratch of one launch: keys [rows][lists][k], maxima [rows][chunks], sums [rows][chunks]. */
struct Ranking {
    int chunks;
    int lists;
    int k;
    u64* keys;
    f32* maxima;
    f32* sums;

    DEVICE_MEMBER u64* list(int row, int list) const { return keys + (i64(row) * lists + list) * k; }
};

DEVICE Ranking ranking_of(void* scratch, int rows, int n, int k) {
    Ranking r;
    r.chunks = (n + VOCABULARY_CHUNK - 1) / VOCABULARY_CHUNK;
    r.lists = r.chunks * LISTS_PER_CHUNK;
    r.k = k;
    r.keys = static_cast<u64*>(scratch);
    r.maxima = reinterpret_cast<f32*>(r.keys + i64(rows) * r.lists * k);
    r.sums = r.maxima + i64(rows) * r.chunks;
    return r;
}

/** The larger; NaN wins. */
DEVICE f32 largest_or_nan(f32 a, f32 b) {
    if (a != a || b != b) {
        return not_a_number();
    }
    return a > b ? a : b;
}

KERNEL(top_k_part, 256, (const f32* x, const f32* t, void* scratch, i32 rows, i32 n, i32 k)) {
    SHARED(f32, maxima, 8);
    Ranking r = ranking_of(scratch, rows, n, k);
    int row = block_y();
    int warp = thread() / 32;
    int start = block_x() * VOCABULARY_CHUNK + warp * WARP_VALUES;
    f32 factor = t == nullptr ? 1.0f : t[row];
    u64 keys[WARP_VALUES / 32];
    f32 maximum = -infinity();
    UNROLL for (int i = 0; i < WARP_VALUES / 32; i++) {
        int id = start + 32 * i + lane();
        keys[i] = 0;
        if (id < n) {
            f32 value = x[i64(row) * n + id] * factor;
            keys[i] = rank_key(value, id);
            maximum = largest_or_nan(maximum, value);
        }
    }
    maximum = largest_or_nan(maximum, shuffle_xor<16>(maximum));
    maximum = largest_or_nan(maximum, shuffle_xor<8>(maximum));
    maximum = largest_or_nan(maximum, shuffle_xor<4>(maximum));
    maximum = largest_or_nan(maximum, shuffle_xor<2>(maximum));
    maximum = largest_or_nan(maximum, shuffle_xor<1>(maximum));
    u64 previous = ~0ull;
    u64* list = r.list(row, block_x() * LISTS_PER_CHUNK + warp);
    UNROLL_BY(1) for (int rank = 0; rank < k; rank++) {
        u64 best = 0;
        UNROLL for (int i = 0; i < WARP_VALUES / 32; i++) {
            best = keys[i] < previous && keys[i] > best ? keys[i] : best;
        }
        previous = warp_largest(best);
        if (lane() == 0) {
            list[rank] = previous;
        }
    }
    if (lane() == 0) {
        maxima[warp] = maximum;
    }
    barrier();
    if (thread() == 0) {
        for (int i = 1; i < 8; i++) {
            maximum = largest_or_nan(maximum, maxima[i]);
        }
        r.maxima[i64(row) * r.chunks + block_x()] = maximum;
    }
}

DEVICE f32 row_maximum(const Ranking& r, int row) {
    f32 maximum = -infinity();
    UNROLL_BY(16) for (int i = 0; i < r.chunks; i++) {
        maximum = largest_or_nan(maximum, r.maxima[i64(row) * r.chunks + i]);
    }
    return maximum;
}

KERNEL(top_k_sum, 256, (const f32* x, const f32* t, void* scratch, i32 rows, i32 n, i32 k)) {
    SHARED(f32, powers, VOCABULARY_CHUNK);
    Ranking r = ranking_of(scratch, rows, n, k);
    int row = block_y();
    int start = block_x() * VOCABULARY_CHUNK;
    int count = smaller(VOCABULARY_CHUNK, n - start);
    f32 factor = t == nullptr ? 1.0f : t[row];
    f32 maximum = row_maximum(r, row);
    UNROLL_BY(8) for (int i = thread(); i < count; i += block_size()) {
        powers[i] = exponential(x[i64(row) * n + start + i] * factor - maximum);
    }
    barrier();
    if (thread() < 32) {
        f32 partial = 0.0f;
        UNROLL_BY(16) for (int i = lane(); i < count; i += 32) { partial += powers[i]; }
        f32 sum = butterfly(partial);
        if (lane() == 0) {
            r.sums[i64(row) * r.chunks + block_x()] = sum;
        }
    }
}

/** Best of 256 threads, for all of them. */
DEVICE u64 block_largest(u64 key, u64* partials) {
    key = warp_largest(key);
    if (lane() == 0) {
        partials[thread() / 32] = key;
    }
    barrier();
    UNROLL for (int i = 0; i < 8; i++) { key = partials[i] > key ? partials[i] : key; }
    barrier();
    return key;
}

KERNEL(top_k_final, 256,
       (const f32* x, const f32* t, void* scratch, i32* ids, f32* log_probs, i32 rows, i32 n, i32 k)) {
    SHARED(u64, partials, 8);
    SHARED(u8, taken, MOST_LISTS);
    Ranking r = ranking_of(scratch, rows, n, k);
    int row = block_x();
    f32 factor = t == nullptr ? 1.0f : t[row];
    f32 log_sum = row_maximum(r, row);
    if (log_sum == log_sum && absolute(log_sum) != infinity()) {
        f32 total = 0.0f;
        UNROLL_BY(16) for (int i = 0; i < r.chunks; i++) {
            total += r.sums[i64(row) * r.chunks + i];
        }
        log_sum += logarithm(total);
    }
    for (int i = thread(); i < r.lists; i += block_size()) {
        taken[i] = 0;
    }
    // A thread looks after its lists alone, so no barrier guards them, and ranks them again when one of them was taken from.
    u64 mine = 0;
    u64 previous = ~0ull;
    UNROLL_BY(1) for (int rank = 0; rank < k; rank++) {
        if (rank == 0 || mine == previous) {
            mine = 0;
            for (int i = thread(); i < r.lists; i += block_size()) {
                const u64* list = r.list(row, i);
                if (taken[i] < k && list[taken[i]] == previous) {
                    taken[i]++;
                }
                u64 head = taken[i] < k ? list[taken[i]] : 0;
                mine = head > mine ? head : mine;
            }
        }
        previous = block_largest(mine, partials);
        if (thread() == 0) {
            u32 id = id_of(previous);
            ids[i64(row) * k + rank] = id;
            log_probs[i64(row) * k + rank] = x[i64(row) * n + id] * factor - log_sum;
        }
    }
}

/** After top_k_part with k = 1. */
KERNEL(arg_max, 256, (void* scratch, i32* ids, i32 rows, i32 n)) {
    SHARED(u64, partials, 8);
    Ranking r = ranking_of(scratch, rows, n, 1);
    u64 best = 0;
    for (int i = thread(); i < r.lists; i += block_size()) {
        u64 key = *r.list(block_x(), i);
        best = key > best ? key : best;
    }
    best = block_largest(best, partials);
    if (thread() == 0) {
        ids[block_x()] = id_of(best);
    }
}
