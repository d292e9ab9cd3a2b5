// Attention by chunks of 128 logical positions (N5), and the pages that hold keys and values.
//
// A page has 128 places of one sequence. Its keys lie in vectors of 8 elements, [head][vector][place][8], elements in the
// order in which the butterfly of the f32 rule wants them: bit-reversed partial, then the partial's own elements. So one
// thread scores one key with few registers. Values lie [head][place][element].
#pragma once

#include "numeric.h"

constexpr int CHUNK = 128;
constexpr int VECTOR = 8;
constexpr int MOST_DIM = 640;
/** Query heads that share the loads of a key. */
constexpr int HEADS = 4;

enum StepHeader { ROW_SLICE, ROW_DEPTH, ROW_PATH_AT, PATH, SLICE_FIRST, SLICE_ROWS, SLICE_COMMITTED, MOST_PAGES, PAGES, SELECTED };

DEVICE f32 widen(f32 x) { return x; }
DEVICE f32 widen(u16 x) { return half_to_float(x); }
DEVICE void store(f32& to, f32 x) { to = x; }
DEVICE void store(u16& to, f32 x) { to = float_to_half(x); }

DEVICE int bit_reversed(int p) { return (p & 1) << 4 | (p & 2) << 2 | (p & 4) | (p & 8) >> 2 | (p & 16) >> 4; }

/** Where element j of a key of 32 * per_partial elements stands. */
DEVICE int key_order(int j, int per_partial) { return bit_reversed(j % 32) * per_partial + j / 32; }

/** A slot of one sequence: its pages and the sizes of a row. */
template <class T>
struct Slot {
    const u64* pages;
    i64 offset;
    int kv_heads;
    int key_dim;
    int value_dim;

    DEVICE_MEMBER int per_partial() const { return (key_dim + 31) / 32; }
    DEVICE_MEMBER T* page(int place) const { return reinterpret_cast<T*>(pages[place / CHUNK] + offset); }
    DEVICE_MEMBER T* key(int head, int place) const {
        return page(place) + (i64(head) * 4 * per_partial() * CHUNK + place % CHUNK) * VECTOR;
    }
    DEVICE_MEMBER T* key_element(int head, int place, int order) const {
        return key(head, place) + order / VECTOR * (CHUNK * VECTOR) + order % VECTOR;
    }
    DEVICE_MEMBER T* value(int head, int place) const {
        return page(place) + i64(kv_heads) * 32 * per_partial() * CHUNK +
               (i64(head) * CHUNK + place % CHUNK) * value_dim;
    }
};

DEVICE const u64* pages_of(const i32* step, int slice) {
    return reinterpret_cast<const u64*>(step + step[PAGES]) + i64(slice) * step[MOST_PAGES];
}

template <class T>
DEVICE void append(const f32* k, const f32* v, const i32* step, i64 offset, i32 kv_heads, i32 key_dim, i32 value_dim) {
    int row = block_x();
    int slice = step[step[ROW_SLICE] + row];
    Slot<T> slot = {pages_of(step, slice), offset, kv_heads, key_dim, value_dim};
    int place = step[step[SLICE_COMMITTED] + slice] + row - step[step[SLICE_FIRST] + slice];
    int padded = 32 * slot.per_partial();
    for (int i = thread(); i < kv_heads * padded; i += block_size()) {
        int head = i / padded;
        int j = i % padded;
        f32 element = j < key_dim ? k[(i64(row) * kv_heads + head) * key_dim + j] : 0.0f;
        store(*slot.key_element(head, place, key_order(j, slot.per_partial())), element);
    }
    for (int i = thread(); i < kv_heads * value_dim; i += block_size()) {
        store(slot.value(i / value_dim, place)[i % value_dim], v[i64(row) * kv_heads * value_dim + i]);
    }
}

/** A thread owns a column and moves it row by row, since a row's place may be the goal of a later one. */
template <class T>
DEVICE void move(const u64* pages, const i32* path, i32 n, i32 committed, i64 offset, i32 kv_heads, i32 key_dim,
                 i32 value_dim) {
    Slot<T> slot = {pages, offset, kv_heads, key_dim, value_dim};
    int padded = 32 * slot.per_partial();
    int column = block_x() * block_size() + thread();
    int keys = kv_heads * padded;
    for (int i = 0; i < n; i++) {
        int from = committed + path[i];
        int to = committed + i;
        if (column < keys) {
            *slot.key_element(column / padded, to, column % padded) =
                *slot.key_element(column / padded, from, column % padded);
        } else if (column - keys < kv_heads * value_dim) {
            int head = (column - keys) / value_dim;
            int j = (column - keys) % value_dim;
            slot.value(head, to)[j] = slot.value(head, from)[j];
        }
    }
}

/** What a query row sees: logical positions first to end - 1. */
struct View {
    int slice;
    int committed;
    int first;
    int end;
    const i32* path;
    bool block;

    DEVICE_MEMBER int place(int position) const {
        return block || position < committed ? position : committed + path[position - committed];
    }
};

DEVICE View view_of(const i32* step, int query, int selected, int window, int block) {
    int row = selected ? step[step[SELECTED] + query] : query;
    View view;
    view.slice = step[step[ROW_SLICE] + row];
    view.committed = step[step[SLICE_COMMITTED] + view.slice];
    int end = view.committed + step[step[ROW_DEPTH] + row] + 1;
    view.first = window == 0 ? 0 : larger(0, end - window);
    view.end = block ? view.committed + step[step[SLICE_ROWS] + view.slice] : end;
    view.path = step + step[PATH] + step[step[ROW_PATH_AT] + row];
    view.block = block;
    return view;
}

/** The node of the butterfly over 8 partials, in place; leaf[0] gets it. */
template <int NB>
DEVICE void fold8(f32 (&leaf)[8][NB]) {
    UNROLL for (int width = 1; width < 8; width *= 2) {
        UNROLL for (int i = 0; i < 8; i += 2 * width) {
            UNROLL for (int b = 0; b < NB; b++) { leaf[i][b] += leaf[i + width][b]; }
        }
    }
}

/**
 * Scores of one key for NB query heads: s[b] = N2(q[b], key). E elements per partial; 0: per_partial says how many.
 *
 * @param q queries in key order, [HEADS][MOST_DIM], shared
 */
template <class T, int E, int NB>
DEVICE void dots(const T* key, const f32* q, int per_partial, f32 (&s)[HEADS]) {
    f32 left[NB] = {};
    f32 half[NB] = {};
    UNROLL_BY(1) for (int quarter = 0; quarter < 4; quarter++) {
        f32 leaf[8][NB] = {};
        if constexpr (E == 0) {
            UNROLL_BY(1) for (int i = 0; i < per_partial; i++) {
                UNROLL for (int p = 0; p < 8; p++) {
                    int at = (quarter * 8 + p) * per_partial + i;
                    f32 element = widen(key[i64(at / VECTOR) * (CHUNK * VECTOR) + at % VECTOR]);
                    UNROLL for (int b = 0; b < NB; b++) {
                        leaf[p][b] = multiply_add(q[b * MOST_DIM + at], element, leaf[p][b]);
                    }
                }
            }
        } else {
            UNROLL for (int v = 0; v < E; v++) {
                int vector = quarter * E + v;
                T elements[VECTOR];
                __builtin_memcpy(elements, __builtin_assume_aligned(key + vector * (CHUNK * VECTOR), 16), sizeof elements);
                UNROLL for (int i = 0; i < VECTOR; i++) {
                    f32 element = widen(elements[i]);
                    UNROLL for (int b = 0; b < NB; b++) {
                        f32& to = leaf[(v * VECTOR + i) / E][b];
                        to = multiply_add(q[b * MOST_DIM + vector * VECTOR + i], element, to);
                    }
                }
            }
        }
        fold8<NB>(leaf);
        UNROLL for (int b = 0; b < NB; b++) {
            f32 pair = left[b] + leaf[0][b];
            s[b] = half[b] + pair;
            half[b] = quarter == 1 ? pair : half[b];
            left[b] = quarter % 2 == 0 ? leaf[0][b] : 0.0f;
        }
    }
}

template <class T, int NB>
DEVICE void dots_of(const T* key, const f32* q, int per_partial, f32 (&s)[HEADS]) {
    switch (sizeof(T) == 2 ? per_partial : 0) {
        case 2:
            return dots<T, 2, NB>(key, q, per_partial, s);
        case 4:
            return dots<T, 4, NB>(key, q, per_partial, s);
        case 8:
            return dots<T, 8, NB>(key, q, per_partial, s);
        default:
            return dots<T, 0, NB>(key, q, per_partial, s);
    }
}

/** Maximum, sum and weighted values of one chunk or of several, merged. */
struct Running {
    f32 maximum;
    f32 sum;
    bool empty;

    /** Takes a chunk in: the factors of what was there and of what is new. */
    DEVICE_MEMBER void merge(f32 m, f32 l, f32& a, f32& b) {
        f32 joint = larger(maximum, m);
        a = exponential(maximum - joint);
        b = exponential(m - joint);
        maximum = joint;
        sum = multiply_add(sum, a, l * b);
    }
};

struct Attention {
    const f32* q;
    f32* y;
    const f32* sinks;
    const i32* step;
    int heads;
    int window;
    f32 scale;
    f32 soft_cap;
    int block;
    int selected;
};

/** Shared memory of a block. */
struct Workspace {
    f32* q;
    f32* weights;
    f32* maxima;
    u64* values;
    f32* output;
};

/** Puts the queries of some heads into shared memory, in key order. */
template <class T>
DEVICE void load_queries(const Attention& op, const Slot<T>& slot, const Workspace& shared, int query, int head, int count) {
    int padded = 32 * slot.per_partial();
    UNROLL_BY(1) for (int i = thread(); i < count * padded; i += block_size()) {
        int j = i % padded;
        int b = i / padded;
        f32 element = j < slot.key_dim ? op.q[(i64(query) * op.heads + head + b) * slot.key_dim + j] : 0.0f;
        shared.q[b * MOST_DIM + key_order(j, slot.per_partial())] = element;
    }
}

/**
 * Scores of a chunk become weights in shared memory: one thread per position.
 *
 * @param m receives the maximum of each head
 */
template <class T>
DEVICE void weigh(const Attention& op, const Slot<T>& slot, const Workspace& shared, const View& view, int kv_head,
                  int count, int start, f32 (&m)[HEADS]) {
    int position = start + thread();
    bool visible = position >= view.first && position < view.end;
    f32 s[HEADS] = {};
    if (visible) {
        int place = view.place(position);
        shared.values[thread()] = reinterpret_cast<u64>(slot.value(kv_head, place));
        const T* key = slot.key(kv_head, place);
        if (count == 1) {
            dots_of<T, 1>(key, shared.q, slot.per_partial(), s);
        } else {
            dots_of<T, HEADS>(key, shared.q, slot.per_partial(), s);
        }
    }
    UNROLL for (int b = 0; b < HEADS; b++) {
        s[b] = s[b] * op.scale;
        if (op.soft_cap > 0.0f) {
            s[b] = hyperbolic_tangent(s[b] / op.soft_cap) * op.soft_cap;
        }
        f32 largest = warp_largest(visible ? s[b] : -infinity());
        if (lane() == 0) {
            shared.maxima[thread() / 32 * HEADS + b] = largest;
        }
    }
    barrier();
    UNROLL for (int b = 0; b < HEADS; b++) {
        m[b] = larger(larger(shared.maxima[b], shared.maxima[HEADS + b]),
                      larger(shared.maxima[2 * HEADS + b], shared.maxima[3 * HEADS + b]));
        if (visible) {
            shared.weights[thread() * HEADS + b] = exponential(s[b] - m[b]);
        }
    }
    barrier();
}

/** o[b][c] = sum over a chunk's positions of w * v for 2 heads and 2 columns, l[b] the sum of w. */
template <class T>
DEVICE void weighted_values(const Workspace& shared, int from, int to, int pair, int column, f32 (&o)[2][2], f32 (&l)[2]) {
    UNROLL_BY(4) for (int i = from; i < to; i++) {
        const T* value = reinterpret_cast<const T*>(shared.values[i]) + column;
        T both[2];
        __builtin_memcpy(both, __builtin_assume_aligned(value, 2 * sizeof(T)), sizeof both);
        f32 v0 = widen(both[0]);
        f32 v1 = widen(both[1]);
        UNROLL for (int b = 0; b < 2; b++) {
            f32 w = shared.weights[i * HEADS + 2 * pair + b];
            l[b] += w;
            o[b][0] = multiply_add(w, v0, o[b][0]);
            o[b][1] = multiply_add(w, v1, o[b][1]);
        }
    }
}

#define ATTENTION_WORKSPACE(outputs)                      \
    SHARED(f32, shared_q, HEADS* MOST_DIM);               \
    SHARED(f32, shared_weights, CHUNK* HEADS);            \
    SHARED(f32, shared_maxima, 4 * HEADS);                \
    SHARED(u64, shared_values, CHUNK);                    \
    SHARED(f32, shared_output, outputs);                  \
    Workspace shared = {shared_q, shared_weights, shared_maxima, shared_values, shared_output}

/** All chunks of one query row and up to four heads in one block. */
template <class T>
DEVICE void attend(const Attention& op, Slot<T> slot) {
    ATTENTION_WORKSPACE(HEADS * MOST_DIM);
    int group = op.heads / slot.kv_heads;
    int batches = (group + HEADS - 1) / HEADS;
    int kv_head = block_x() / batches;
    int first_in_group = block_x() % batches * HEADS;
    int head = kv_head * group + first_in_group;
    int count = smaller(HEADS, group - first_in_group);
    int query = block_y();
    View view = view_of(op.step, query, op.selected, op.window, op.block);
    slot.pages = pages_of(op.step, view.slice);
    load_queries(op, slot, shared, query, head, count);
    barrier();
    int pair = thread() / 64;
    Running running[2] = {{0.0f, 0.0f, true}, {0.0f, 0.0f, true}};
    UNROLL_BY(1) for (int start = view.first / CHUNK * CHUNK; start < view.end; start += CHUNK) {
        f32 m[HEADS];
        weigh(op, slot, shared, view, kv_head, count, start, m);
        int from = larger(view.first - start, 0);
        int to = smaller(view.end - start, CHUNK);
        f32 a[2];
        f32 b[2];
        bool first = running[0].empty;
        UNROLL_BY(1) for (int column = thread() % 64 * 2; 2 * pair < count && column < slot.value_dim; column += 128) {
            f32 o[2][2] = {};
            f32 l[2] = {};
            weighted_values<T>(shared, from, to, pair, column, o, l);
            UNROLL for (int i = 0; i < 2; i++) {
                f32* out = shared.output + (2 * pair + i) * MOST_DIM + column;
                if (first) {
                    running[i] = {m[2 * pair + i], l[i], false};
                    out[0] = o[i][0];
                    out[1] = o[i][1];
                } else {
                    if (column < 128) {
                        running[i].merge(m[2 * pair + i], l[i], a[i], b[i]);
                    }
                    out[0] = multiply_add(out[0], a[i], o[i][0] * b[i]);
                    out[1] = multiply_add(out[1], a[i], o[i][1] * b[i]);
                }
            }
        }
        barrier();
    }
    UNROLL for (int i = 0; i < 2; i++) {
        int h = 2 * pair + i;
        f32 a = 1.0f;
        f32 b = 0.0f;
        if (h < count && op.sinks != nullptr) {
            running[i].merge(op.sinks[head + h], 1.0f, a, b);
        }
        UNROLL_BY(1) for (int column = thread() % 64 * 2; h < count && column < slot.value_dim; column += 128) {
            UNROLL for (int c = 0; c < 2; c++) {
                f32 o = shared.output[h * MOST_DIM + column + c];
                o = op.sinks == nullptr ? o : multiply_add(o, a, 0.0f * b);
                op.y[(i64(query) * op.heads + head + h) * slot.value_dim + column + c] = o / running[i].sum;
            }
        }
    }
}

/** One chunk of some query rows and up to four heads: y receives its values, maximum and sum for attention_merge. */
template <class T>
DEVICE void attend_chunk(const Attention& op, Slot<T> slot, int chunks, int queries, int rows_per_block) {
    ATTENTION_WORKSPACE(1);
    int group = op.heads / slot.kv_heads;
    int batches = (group + HEADS - 1) / HEADS;
    int batch = block_y() % (slot.kv_heads * batches);
    int kv_head = batch / batches;
    int first_in_group = batch % batches * HEADS;
    int head = kv_head * group + first_in_group;
    int count = smaller(HEADS, group - first_in_group);
    int first_query = block_y() / (slot.kv_heads * batches) * rows_per_block;
    int start = block_x() * CHUNK;
    int pair = thread() / 64;
    UNROLL_BY(1) for (int query = first_query; query < smaller(first_query + rows_per_block, queries); query++) {
        View view = view_of(op.step, query, op.selected, op.window, op.block);
        if (start + CHUNK <= view.first || start >= view.end) {
            continue;
        }
        slot.pages = pages_of(op.step, view.slice);
        load_queries(op, slot, shared, query, head, count);
        barrier();
        f32 m[HEADS];
        weigh(op, slot, shared, view, kv_head, count, start, m);
        int from = larger(view.first - start, 0);
        int to = smaller(view.end - start, CHUNK);
        UNROLL_BY(1) for (int column = thread() % 64 * 2; 2 * pair < count && column < slot.value_dim; column += 128) {
            f32 o[2][2] = {};
            f32 l[2] = {};
            weighted_values<T>(shared, from, to, pair, column, o, l);
            UNROLL for (int i = 0; i < 2; i++) {
                int h = 2 * pair + i;
                if (h < count) {
                    i64 at = (i64(query) * op.heads + head + h) * chunks + block_x();
                    f32* out = op.y + at * (slot.value_dim + 2);
                    out[column] = o[i][0];
                    out[column + 1] = o[i][1];
                    if (column == 0) {
                        out[slot.value_dim] = m[h];
                        out[slot.value_dim + 1] = l[i];
                    }
                }
            }
        }
        barrier();
    }
}

#define SLOT_PARAMETERS i64 slot_offset, i32 heads, i32 kv_heads, i32 key_dim, i32 value_dim, i32 window
#define SLOT_OF(T) Slot<T> { nullptr, slot_offset, kv_heads, key_dim, value_dim }

#define ATTENTION_KERNELS(name, T)                                                                                       \
    KERNEL(kv_append_##name, 128,                                                                                        \
           (const f32* k, const f32* v, const i32* step, i64 slot_offset, i32 kv_heads, i32 key_dim, i32 value_dim)) {    \
        append<T>(k, v, step, slot_offset, kv_heads, key_dim, value_dim);                                                \
    }                                                                                                                    \
    KERNEL(kv_move_##name, 128,                                                                                          \
           (const u64* pages, const i32* path, i32 n, i32 committed, i64 slot_offset, i32 kv_heads, i32 key_dim,          \
            i32 value_dim)) {                                                                                            \
        move<T>(pages, path, n, committed, slot_offset, kv_heads, key_dim, value_dim);                                   \
    }                                                                                                                    \
    KERNEL(attention_##name, 128,                                                                                        \
           (const f32* q, f32* y, const f32* sinks, const i32* step, i64 slot_offset, i32 heads, i32 kv_heads,            \
            i32 key_dim, i32 value_dim, i32 window, f32 scale, f32 soft_cap, i32 block, i32 selected)) {                 \
        attend<T>({q, y, sinks, step, heads, window, scale, soft_cap, block, selected}, SLOT_OF(T));                     \
    }                                                                                                                    \
    KERNEL(attention_split_##name, 128,                                                                                  \
           (const f32* q, f32* part, const f32* sinks, const i32* step, i64 slot_offset, i32 heads, i32 kv_heads,         \
            i32 key_dim, i32 value_dim, i32 window, f32 scale, f32 soft_cap, i32 block, i32 selected, i32 chunks,        \
            i32 queries, i32 rows_per_block)) {                                                                          \
        attend_chunk<T>({q, part, sinks, step, heads, window, scale, soft_cap, block, selected}, SLOT_OF(T), chunks,     \
                        queries, rows_per_block);                                                                        \
    }

ATTENTION_KERNELS(f16, u16)
ATTENTION_KERNELS(f32, f32)

/** Merges the chunks of a query row and head in ascending order. */
KERNEL(attention_merge, 128,
       (const f32* part, f32* y, const f32* sinks, const i32* step, i32 heads, i32 value_dim, i32 window, i32 block,
        i32 selected, i32 chunks)) {
    int head = block_x();
    int query = block_y();
    View view = view_of(step, query, selected, window, block);
    i64 row = i64(query) * heads + head;
    for (int column = thread(); column < value_dim; column += block_size()) {
        Running running = {0.0f, 0.0f, true};
        f32 o = 0.0f;
        for (int chunk = view.first / CHUNK; chunk * CHUNK < view.end; chunk++) {
            const f32* from = part + (row * chunks + chunk) * (value_dim + 2);
            f32 m = from[value_dim];
            f32 l = from[value_dim + 1];
            if (running.empty) {
                running = {m, l, false};
                o = from[column];
            } else {
                f32 a;
                f32 b;
                running.merge(m, l, a, b);
                o = multiply_add(o, a, from[column] * b);
            }
        }
        if (sinks != nullptr) {
            f32 a;
            f32 b;
            running.merge(sinks[head], 1.0f, a, b);
            o = multiply_add(o, a, 0.0f * b);
        }
        y[row * value_dim + column] = o / running.sum;
    }
}
