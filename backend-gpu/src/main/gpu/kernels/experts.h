// Mixture of experts: the choice (N7) and the weighted sum; the matrices are in matmul.h.
#pragma once

#include "numeric.h"

constexpr int MOST_EXPERTS = 1024;
constexpr int MOST_USED = 64;
constexpr int MOST_GROUPS = 64;

enum Scoring { SOFTMAX_THEN_TOP, TOP_THEN_SOFTMAX, SIGMOID_THEN_TOP };

/** One warp turns n values in shared memory into their softmax. */
DEVICE void softmax(f32* x, int n) {
    f32 maximum = -infinity();
    UNROLL_BY(1) for (int i = lane(); i < n; i += 32) {
        maximum = larger(maximum, x[i]);
    }
    maximum = warp_largest(maximum);
    f32 partial = 0.0f;
    UNROLL_BY(1) for (int i = lane(); i < n; i += 32) {
        x[i] = exponential(x[i] - maximum);
        partial += x[i];
    }
    f32 sum = butterfly(partial);
    UNROLL_BY(1) for (int i = lane(); i < n; i += 32) {
        x[i] /= sum;
    }
    barrier();
}

/** The best of n values in shared memory after the one with key `previous`. */
DEVICE u64 next_best(const f32* x, int n, u64 previous) {
    u64 best = 0;
    UNROLL_BY(1) for (int i = lane(); i < n; i += 32) {
        u64 key = rank_key(x[i], i);
        best = key < previous && key > best ? key : best;
    }
    return warp_largest(best);
}

/** Lets only experts of the best groups count; a group's score is the sum of its two best. */
DEVICE void drop_weak_groups(f32* selection, f32* scores, int experts, int groups, int used) {
    int size = experts / groups;
    UNROLL_BY(1) for (int group = 0; group < groups; group++) {
        u64 first = next_best(selection + group * size, size, ~0ull);
        u64 second = size > 1 ? next_best(selection + group * size, size, first) : first;
        if (lane() == 0) {
            f32 score = 0.0f + selection[group * size + id_of(first)];
            scores[group] = size > 1 ? score + selection[group * size + id_of(second)] : score;
        }
    }
    barrier();
    u64 last = ~0ull;
    UNROLL_BY(1) for (int i = 0; i < used; i++) {
        last = next_best(scores, groups, last);
    }
    UNROLL_BY(1) for (int i = lane(); i < experts; i += 32) {
        if (rank_key(scores[i / size], i / size) < last) {
            selection[i] = -infinity();
        }
    }
    barrier();
}

KERNEL(moe_route, 32,
       (const f32* logits, const f32* selection_bias, i32* ids, f32* weights, i32 experts, i32 used, i32 scoring,
        i32 renormalise, f32 weight_scale, i32 groups, i32 groups_used)) {
    SHARED(f32, scores, MOST_EXPERTS);
    SHARED(f32, selection, MOST_EXPERTS);
    SHARED(f32, group_scores, MOST_GROUPS);
    SHARED(f32, picked, MOST_USED);
    i64 row = block_x();
    UNROLL_BY(1) for (int i = lane(); i < experts; i += 32) {
        f32 logit = logits[row * experts + i];
        scores[i] = scoring == SIGMOID_THEN_TOP ? sigmoid(logit) : logit;
    }
    barrier();
    if (scoring == SOFTMAX_THEN_TOP) {
        softmax(scores, experts);
    }
    UNROLL_BY(1) for (int i = lane(); i < experts; i += 32) {
        selection[i] = selection_bias == nullptr ? scores[i] : scores[i] + selection_bias[i];
    }
    barrier();
    if (groups > 0) {
        drop_weak_groups(selection, group_scores, experts, groups, groups_used);
    }
    u64 last = ~0ull;
    UNROLL_BY(1) for (int rank = 0; rank < used; rank++) {
        last = next_best(selection, experts, last);
        if (lane() == 0) {
            ids[row * used + rank] = id_of(last);
            picked[rank] = scores[id_of(last)];
        }
    }
    barrier();
    if (scoring == TOP_THEN_SOFTMAX) {
        softmax(picked, used);
    }
    f32 sum = 1.0f;
    if (renormalise) {
        f32 partial = 0.0f;
        UNROLL_BY(1) for (int i = lane(); i < used; i += 32) {
            partial += picked[i];
        }
        sum = butterfly(partial);
    }
    UNROLL_BY(1) for (int i = lane(); i < used; i += 32) {
        weights[row * used + i] = (renormalise ? picked[i] / sum : picked[i]) * weight_scale;
    }
}

KERNEL(moe_combine, 256, (const f32* e, const f32* weights, f32* y, i32 count, i32 n, i32 used)) {
    int i = block_x() * block_size() + thread();
    if (i < count) {
        i64 row = i / n;
        f32 sum = 0.0f;
        for (int rank = 0; rank < used; rank++) {
            sum = multiply_add(weights[row * used + rank], e[(row * used + rank) * n + i % n], sum);
        }
        y[i] = sum;
    }
}
