// Ops that work row by row or element by element.
#pragma once

#include "numeric.h"

constexpr int SLAB = 4096;

/** Sums of a group of columns by the f32 rule (N2), by a whole block. */
enum class Term { VALUE, SQUARE };

/** Sum over x[i] - mean, or its square; every thread gets it. The chain of additions is one warp's, the loads are all's. */
template <Term TERM>
DEVICE f32 group_sum(const f32* x, int n, f32 mean, f32* slab, f32* result) {
    f32 partial = 0.0f;
    for (int base = 0; base < n; base += SLAB) {
        int count = smaller(SLAB, n - base);
        if (n % 4 == 0) {
            UNROLL_BY(4) for (int i = 4 * thread(); i < count; i += 4 * block_size()) {
                u32x4 four = *reinterpret_cast<const u32x4*>(x + base + i);
                UNROLL for (int j = 0; j < 4; j++) { slab[i + j] = bit_cast<f32>(four.v[j]) - mean; }
            }
        } else {
            for (int i = thread(); i < count; i += block_size()) {
                slab[i] = x[base + i] - mean;
            }
        }
        barrier();
        if (thread() < 32) {
            UNROLL_BY(16) for (int i = thread(); i < count; i += 32) {
                partial = TERM == Term::SQUARE ? multiply_add(slab[i], slab[i], partial) : partial + slab[i];
            }
        }
        barrier();
    }
    if (thread() < 32) {
        f32 sum = butterfly(partial);
        if (thread() == 0) {
            *result = sum;
        }
    }
    barrier();
    return *result;
}

KERNEL(rms_norm, 256, (const f32* x, const f32* gain, f32* y, i32 n, f32 epsilon)) {
    SHARED(f32, slab, SLAB);
    SHARED(f32, result, 1);
    i64 at = i64(block_x()) * n;
    f32 sum = group_sum<Term::SQUARE>(x + at, n, 0.0f, slab, result);
    f32 r = 1.0f / square_root(sum / f32(n) + epsilon);
    UNROLL_BY(4) for (int i = thread(); i < n; i += block_size()) {
        f32 scaled = x[at + i] * r;
        y[at + i] = gain == nullptr ? scaled : scaled * gain[i];
    }
}

KERNEL(l2_norm, 256, (const f32* x, f32* y, i32 n, f32 epsilon)) {
    SHARED(f32, slab, SLAB);
    SHARED(f32, result, 1);
    i64 at = i64(block_x()) * n;
    f32 norm = larger(square_root(group_sum<Term::SQUARE>(x + at, n, 0.0f, slab, result)), epsilon);
    for (int i = thread(); i < n; i += block_size()) {
        y[at + i] = x[at + i] / norm;
    }
}

KERNEL(layer_norm, 256, (const f32* x, const f32* gain, const f32* bias, f32* y, i32 n, f32 epsilon)) {
    SHARED(f32, slab, SLAB);
    SHARED(f32, result, 2);
    i64 at = i64(block_x()) * n;
    f32 mean = group_sum<Term::VALUE>(x + at, n, 0.0f, slab, result) / f32(n);
    f32 sum = group_sum<Term::SQUARE>(x + at, n, mean, slab, result + 1);
    f32 r = 1.0f / square_root(sum / f32(n) + epsilon);
    UNROLL_BY(4) for (int i = thread(); i < n; i += block_size()) {
        f32 scaled = (x[at + i] - mean) * r;
        y[at + i] = bias == nullptr ? scaled * gain[i] : multiply_add(scaled, gain[i], bias[i]);
    }
}

KERNEL(rope, 128,
       (const f32* x, const f32* table, f32* y, const i32* step, i32 selected, i32 n, i32 head_dim, i32 offset, i32 pairs,
        i32 interleaved)) {
    i64 at = i64(block_x()) * n;
    int row = selected ? step[step[9] + block_x()] : block_x();
    const f32* cosines = table + i64(row) * 2 * pairs;
    for (int i = thread(); i < n / head_dim * pairs; i += block_size()) {
        int pair = i % pairs;
        i64 head = at + i64(i / pairs) * head_dim + offset;
        i64 first = head + (interleaved ? 2 * pair : pair);
        i64 second = interleaved ? first + 1 : first + pairs;
        f32 cosine = cosines[pair];
        f32 sine = cosines[pairs + pair];
        f32 x0 = x[first];
        f32 x1 = x[second];
        y[first] = multiply_add(x0, cosine, -(x1 * sine));
        y[second] = multiply_add(x1, cosine, x0 * sine);
    }
    for (int i = thread(); i < n && x != y; i += block_size()) {
        int in_head = i % head_dim - offset;
        if (in_head < 0 || in_head >= 2 * pairs) {
            y[at + i] = x[at + i];
        }
    }
}

DEVICE int element() { return block_x() * block_size() + thread(); }

KERNEL(add, 256, (const f32* a, const f32* b, f32* y, i32 count, i32 columns, i32 broadcast)) {
    int i = element();
    if (i < count) {
        y[i] = a[i] + b[broadcast ? i / columns : i];
    }
}

KERNEL(multiply, 256, (const f32* a, const f32* b, f32* y, i32 count, i32 columns, i32 broadcast)) {
    int i = element();
    if (i < count) {
        y[i] = a[i] * b[broadcast ? i / columns : i];
    }
}

KERNEL(scale, 256, (const f32* x, f32* y, i32 count, f32 factor)) {
    int i = element();
    if (i < count) {
        y[i] = x[i] * factor;
    }
}

KERNEL(soft_cap, 256, (const f32* x, f32* y, i32 count, f32 cap)) {
    int i = element();
    if (i < count) {
        y[i] = hyperbolic_tangent(x[i] / cap) * cap;
    }
}

KERNEL(gate, 256, (const f32* a, const f32* b, f32* y, i32 count, i32 columns, i32 broadcast, i32 activation)) {
    int i = element();
    if (i < count) {
        y[i] = activate(activation, a[broadcast ? i / columns : i]) * b[i];
    }
}

KERNEL(clamped_gate, 256, (const f32* a, const f32* b, f32* y, i32 count, f32 alpha, f32 limit)) {
    int i = element();
    if (i < count) {
        f32 g = a[i] > limit ? limit : a[i];
        f32 u = b[i] > limit ? limit : b[i];
        u = u < -limit ? -limit : u;
        y[i] = (g * sigmoid(alpha * g)) * (u + 1.0f);
    }
}

KERNEL(select_rows, 128, (const u32* x, const i32* rows, u32* y, i32 columns)) {
    i64 from = i64(rows[block_x()]) * columns;
    i64 to = i64(block_x()) * columns;
    for (int i = thread(); i < columns; i += block_size()) {
        y[to + i] = x[from + i];
    }
}

KERNEL(copy_columns, 256,
       (const u32* x, u32* y, i32 count, i32 groups, i32 width, i32 x_row, i32 x_group, i32 x_first, i32 y_row, i32 y_group,
        i32 y_first)) {
    int i = element();
    if (i < count) {
        int column = i % width;
        int group = i / width % groups;
        i64 row = i / width / groups;
        y[row * y_row + group * y_group + y_first + column] = x[row * x_row + group * x_group + x_first + column];
    }
}
