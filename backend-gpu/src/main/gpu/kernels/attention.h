// Attention by chunks of 128 logical positions (N5), and the pages that hold keys and values.
//
// A page has 128 places of one sequence. Its keys lie in vectors of 8 elements, [head][vector][place][8], elements in the
// order in which the butterfly of the f32 rule wants them: bit-reversed partial, then the partial's own elements. So one
// thread scores one key with few registers. Values lie [head][place][element].
#pragma once

#include "activations.h"

constexpr int CHUNK = 128;
constexpr int VECTOR = 8;
constexpr int MOST_DIM = 640;

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
    /** Every position is at the place of the same number. */
    bool in_order;

    DEVICE_MEMBER int place(int position) const {
        return in_order || position < committed ? position : committed + path[position - committed];
    }
};

DEVICE View view_of(const i32* step, int query, int selected, int window, int block) {
    int row = selected ? step[step[SELECTED] + query] : query;
    int depth = step[step[ROW_DEPTH] + row];
    View view;
    view.slice = step[step[ROW_SLICE] + row];
    view.committed = step[step[SLICE_COMMITTED] + view.slice];
    int end = view.committed + depth + 1;
    view.first = window == 0 ? 0 : larger(0, end - window);
    view.end = block ? view.committed + step[step[SLICE_ROWS] + view.slice] : end;
    view.path = step + step[PATH] + step[step[ROW_PATH_AT] + row];
    // Parents precede their rows, so a row as deep as its index ends a chain.
    view.in_order = block || depth == row - step[step[SLICE_FIRST] + view.slice];
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
 * Scores of one key for Q queries: s[b] = N2(q[b], key). E elements per partial; 0: per_partial says how many.
 *
 * @param q queries in key order, [Q][MOST_DIM], shared
 */
template <class T, int E, int Q>
DEVICE void dots(const T* key, const f32* q, int per_partial, f32 (&s)[Q]) {
    f32 left[Q] = {};
    f32 half[Q] = {};
    u32x4 next[E + 1];
    UNROLL for (int v = 0; v < E; v++) { next[v] = reinterpret_cast<const u32x4*>(key)[v * CHUNK]; }
    UNROLL_BY(1) for (int quarter = 0; quarter < 4; quarter++) {
        f32 leaf[8][Q] = {};
        if constexpr (E == 0) {
            UNROLL_BY(1) for (int i = 0; i < per_partial; i++) {
                UNROLL for (int p = 0; p < 8; p++) {
                    int at = (quarter * 8 + p) * per_partial + i;
                    f32 element = widen(key[i64(at / VECTOR) * (CHUNK * VECTOR) + at % VECTOR]);
                    UNROLL for (int b = 0; b < Q; b++) {
                        leaf[p][b] = multiply_add(q[b * MOST_DIM + at], element, leaf[p][b]);
                    }
                }
            }
        } else {
            u32x4 now[E];
            UNROLL for (int v = 0; v < E; v++) {
                now[v] = next[v];
                if (quarter < 3) {
                    next[v] = reinterpret_cast<const u32x4*>(key)[((quarter + 1) * E + v) * CHUNK];
                }
            }
            UNROLL for (int v = 0; v < E; v++) {
                UNROLL for (int i = 0; i < VECTOR; i++) {
                    f32 element = half_to_float(now[v].v[i / 2] >> i % 2 * 16);
                    UNROLL for (int b = 0; b < Q; b++) {
                        f32& to = leaf[(v * VECTOR + i) / E][b];
                        to = multiply_add(q[b * MOST_DIM + (quarter * E + v) * VECTOR + i], element, to);
                    }
                }
            }
        }
        fold8<Q>(leaf);
        UNROLL for (int b = 0; b < Q; b++) {
            f32 pair = left[b] + leaf[0][b];
            s[b] = half[b] + pair;
            half[b] = quarter == 1 ? pair : half[b];
            left[b] = quarter % 2 == 0 ? leaf[0][b] : 0.0f;
        }
    }
}

template <class T, int Q>
DEVICE void dots_of(const T* key, const f32* q, int per_partial, f32 (&s)[Q]) {
    if constexpr (sizeof(T) == 2) {
        switch (per_partial) {
            case 2:
                return dots<T, 2, Q>(key, q, per_partial, s);
            case 4:
                return dots<T, 4, Q>(key, q, per_partial, s);
            case 8:
                return dots<T, 8, Q>(key, q, per_partial, s);
            default:
                break;
        }
    }
    dots<T, 0, Q>(key, q, per_partial, s);
}

/** Maximum and sum of chunks merged so far. */
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

/** Most queries, that is pairs of a row and a head, that share the loads of keys and values. */
constexpr int MOST_BATCH = 8;

/** Shared memory of a block. */
struct Workspace {
    f32* q;
    f32* weights;
    f32* maxima;
    u64* values;
    int* first;
    int* end;
    f32* output;
};

#define ATTENTION_WORKSPACE(outputs)                  \
    SHARED(f32, shared_q, MOST_BATCH* MOST_DIM);      \
    SHARED(f32, shared_weights, CHUNK* MOST_BATCH);   \
    SHARED(f32, shared_maxima, 4 * MOST_BATCH);       \
    SHARED(u64, shared_values, CHUNK);                \
    SHARED(int, shared_first, MOST_BATCH);            \
    SHARED(int, shared_end, MOST_BATCH);              \
    SHARED(f32, shared_output, outputs);              \
    Workspace shared = {shared_q, shared_weights, shared_maxima, shared_values, shared_first, shared_end, shared_output}

/**
 * Consecutive queries of one key-value head whose positions are at the same places. Query i of the head is row i / group,
 * head i % group of the group.
 */
struct Batch {
    int first;
    int count;
    int kv_head;
    int group;
    View view;

    DEVICE_MEMBER int row(int b) const { return (first + b) / group; }
    DEVICE_MEMBER int head(int b) const { return kv_head * group + (first + b) % group; }
};

/** The batch that begins with query `first`; `start` is the one chunk that is meant, or -1 for all. */
DEVICE Batch batch_of(const Attention& op, int kv_head, int group, int first, int end, int start) {
    Batch batch = {first, smaller(MOST_BATCH, end - first), kv_head, group,
                   view_of(op.step, first / group, op.selected, op.window, op.block)};
    for (int row = first / group; row * group < first + batch.count; row++) {
        View view = view_of(op.step, row, op.selected, op.window, op.block);
        bool fits = view.slice == batch.view.slice &&
                    (view.in_order || (start >= 0 && start + CHUNK <= view.committed));
        if (!fits) {
            int last = row == first / group ? row + 1 : row;
            batch.count = smaller(batch.count, last * group - first);
            break;
        }
    }
    return batch;
}

/** Puts the queries of a batch, in key order, and what they see into shared memory. */
template <class T>
DEVICE void load_queries(const Attention& op, const Slot<T>& slot, const Workspace& shared, const Batch& batch) {
    int padded = 32 * slot.per_partial();
    UNROLL_BY(4) for (int i = thread(); i < batch.count * padded; i += block_size()) {
        int j = i % padded;
        int b = i / padded;
        i64 at = (i64(batch.row(b)) * op.heads + batch.head(b)) * slot.key_dim + j;
        shared.q[b * MOST_DIM + key_order(j, slot.per_partial())] = j < slot.key_dim ? op.q[at] : 0.0f;
    }
    if (thread() < batch.count) {
        View view = view_of(op.step, batch.row(thread()), op.selected, op.window, op.block);
        shared.first[thread()] = view.first;
        shared.end[thread()] = view.end;
    }
}

/** Positions that some and that all queries of a batch see. */
struct Range {
    int first;
    int end;
    int common_first;
    int common_end;
};

DEVICE Range range_of(const Workspace& shared, int count) {
    Range r = {shared.first[0], shared.end[0], shared.first[0], shared.end[0]};
    for (int b = 1; b < count; b++) {
        r.first = smaller(r.first, shared.first[b]);
        r.end = larger(r.end, shared.end[b]);
        r.common_first = larger(r.common_first, shared.first[b]);
        r.common_end = smaller(r.common_end, shared.end[b]);
    }
    return r;
}

/** Scores of a chunk become weights in shared memory, one thread per position; shared.maxima[b] gets the maximum. */
template <class T, int Q>
DEVICE void weigh(const Attention& op, const Slot<T>& slot, const Workspace& shared, const Batch& batch, const Range& range,
                  int start) {
    int position = start + thread();
    f32 s[Q] = {};
    if (position >= range.first && position < range.end) {
        int place = batch.view.place(position);
        const T* value = slot.value(batch.kv_head, place);
        shared.values[thread()] = reinterpret_cast<u64>(value);
        for (int i = 0; i < slot.value_dim; i += 128 / int(sizeof(T))) {
            prefetch(value + i);
        }
        dots_of<T, Q>(slot.key(batch.kv_head, place), shared.q, slot.per_partial(), s);
    }
    bool visible[Q];
    UNROLL for (int b = 0; b < Q; b++) {
        visible[b] = b < batch.count && position >= shared.first[b] && position < shared.end[b];
        s[b] = s[b] * op.scale;
        if (op.soft_cap > 0.0f) {
            s[b] = hyperbolic_tangent(s[b] / op.soft_cap) * op.soft_cap;
        }
        f32 largest = warp_largest(visible[b] ? s[b] : -infinity());
        if (lane() == 0) {
            shared.maxima[thread() / 32 * MOST_BATCH + b] = largest;
        }
    }
    barrier();
    UNROLL for (int b = 0; b < Q; b++) {
        f32 m = larger(larger(shared.maxima[b], shared.maxima[MOST_BATCH + b]),
                       larger(shared.maxima[2 * MOST_BATCH + b], shared.maxima[3 * MOST_BATCH + b]));
        shared.weights[thread() * Q + b] = visible[b] ? exponential(s[b] - m) : 0.0f;
    }
    barrier();
}

DEVICE f32 chunk_maximum(const Workspace& shared, int b) {
    return larger(larger(shared.maxima[b], shared.maxima[MOST_BATCH + b]),
                  larger(shared.maxima[2 * MOST_BATCH + b], shared.maxima[3 * MOST_BATCH + b]));
}

/** Sums of one thread: N queries from `query` on, two columns. */
template <int N>
struct Values {
    f32 o[N][2];
    f32 l[N];
};

/** Adds positions from to to - 1 of a chunk; MASKED where not every query sees all of them. */
template <class T, int Q, int N, bool MASKED>
DEVICE void add_values(const Workspace& shared, int start, int from, int to, int query, int column, Values<N>& sums) {
    UNROLL_BY(8) for (int i = from; i < to; i++) {
        const T* value = reinterpret_cast<const T*>(shared.values[i]) + column;
        T both[2];
        __builtin_memcpy(both, __builtin_assume_aligned(value, 2 * sizeof(T)), sizeof both);
        f32 v[2] = {widen(both[0]), widen(both[1])};
        UNROLL for (int b = 0; b < N; b++) {
            f32 w = shared.weights[i * Q + query + b];
            bool seen = !MASKED || (start + i >= shared.first[query + b] && start + i < shared.end[query + b]);
            sums.l[b] = seen ? sums.l[b] + w : sums.l[b];
            UNROLL for (int c = 0; c < 2; c++) {
                f32 sum = multiply_add(w, v[c], sums.o[b][c]);
                sums.o[b][c] = seen ? sum : sums.o[b][c];
            }
        }
    }
}

template <class T, int Q, int N>
DEVICE Values<N> weighted_values(const Workspace& shared, const Range& range, int start, int query, int column) {
    int first = larger(range.first - start, 0);
    int end = smaller(range.end - start, CHUNK);
    int common_first = smaller(larger(range.common_first - start, first), end);
    int common_end = larger(smaller(range.common_end - start, end), common_first);
    Values<N> sums = {};
    add_values<T, Q, N, true>(shared, start, first, common_first, query, column, sums);
    add_values<T, Q, N, false>(shared, start, common_first, common_end, query, column, sums);
    add_values<T, Q, N, true>(shared, start, common_end, end, query, column, sums);
    return sums;
}

DEVICE bool sees(const Workspace& shared, int b, int start) {
    return shared.first[b] < start + CHUNK && shared.end[b] > start;
}

/** All chunks of a batch. Half of the threads have the first half of the queries, the others the second. */
template <class T, int Q>
DEVICE void attend_batch(const Attention& op, const Slot<T>& slot, const Workspace& shared, const Batch& batch) {
    constexpr int N = Q / 2;
    int query = thread() / 64 * N;
    int column0 = thread() % 64 * 2;
    Range range = range_of(shared, batch.count);
    Running running[N];
    UNROLL for (int i = 0; i < N; i++) { running[i] = {0.0f, 0.0f, true}; }
    UNROLL_BY(1) for (int start = range.first / CHUNK * CHUNK; start < range.end; start += CHUNK) {
        weigh<T, Q>(op, slot, shared, batch, range, start);
        f32 a[N] = {};
        f32 b[N] = {};
        UNROLL_BY(1) for (int column = column0; query < batch.count && column < slot.value_dim; column += 128) {
            Values<N> sums = weighted_values<T, Q, N>(shared, range, start, query, column);
            UNROLL for (int i = 0; i < N; i++) {
                if (query + i < batch.count && sees(shared, query + i, start)) {
                    f32* out = shared.output + (query + i) * MOST_DIM + column;
                    bool first = column == column0 ? running[i].empty : b[i] < 0.0f;
                    if (first) {
                        // A negative factor marks the first chunk, which is taken as it is.
                        running[i] = {chunk_maximum(shared, query + i), sums.l[i], false};
                        b[i] = -1.0f;
                        out[0] = sums.o[i][0];
                        out[1] = sums.o[i][1];
                    } else {
                        if (column == column0) {
                            running[i].merge(chunk_maximum(shared, query + i), sums.l[i], a[i], b[i]);
                        }
                        out[0] = multiply_add(out[0], a[i], sums.o[i][0] * b[i]);
                        out[1] = multiply_add(out[1], a[i], sums.o[i][1] * b[i]);
                    }
                }
            }
        }
        barrier();
    }
    UNROLL for (int i = 0; i < N; i++) {
        if (query + i < batch.count) {
            int head = batch.head(query + i);
            f32 a = 1.0f;
            f32 b = 0.0f;
            if (op.sinks != nullptr) {
                running[i].merge(op.sinks[head], 1.0f, a, b);
            }
            f32* y = op.y + (i64(batch.row(query + i)) * op.heads + head) * slot.value_dim;
            UNROLL_BY(1) for (int column = column0; column < slot.value_dim; column += 128) {
                UNROLL for (int c = 0; c < 2; c++) {
                    f32 o = shared.output[(query + i) * MOST_DIM + column + c];
                    o = op.sinks == nullptr ? o : multiply_add(o, a, 0.0f * b);
                    y[column + c] = o / running[i].sum;
                }
            }
        }
    }
}

template <class T>
DEVICE void attend(const Attention& op, Slot<T> slot, int queries) {
    ATTENTION_WORKSPACE(MOST_BATCH * MOST_DIM);
    int group = op.heads / slot.kv_heads;
    int first = block_y() * MOST_BATCH;
    int end = smaller(first + MOST_BATCH, queries * group);
    while (first < end) {
        Batch batch = batch_of(op, block_x(), group, first, end, -1);
        slot.pages = pages_of(op.step, batch.view.slice);
        load_queries(op, slot, shared, batch);
        barrier();
        if (batch.count <= MOST_BATCH / 2) {
            attend_batch<T, MOST_BATCH / 2>(op, slot, shared, batch);
        } else {
            attend_batch<T, MOST_BATCH>(op, slot, shared, batch);
        }
        barrier();
        first += batch.count;
    }
}

/** One chunk of a batch: y receives its values, maximum and sum for attention_merge. */
template <class T, int Q>
DEVICE void attend_chunk_batch(const Attention& op, const Slot<T>& slot, const Workspace& shared, const Batch& batch,
                               int start, int chunks) {
    constexpr int N = Q / 2;
    int query = thread() / 64 * N;
    Range range = range_of(shared, batch.count);
    if (start + CHUNK <= range.first || start >= range.end) {
        return;
    }
    weigh<T, Q>(op, slot, shared, batch, range, start);
    UNROLL_BY(1) for (int column = thread() % 64 * 2; query < batch.count && column < slot.value_dim; column += 128) {
        Values<N> sums = weighted_values<T, Q, N>(shared, range, start, query, column);
        UNROLL for (int i = 0; i < N; i++) {
            if (query + i < batch.count && sees(shared, query + i, start)) {
                i64 row = i64(batch.row(query + i)) * op.heads + batch.head(query + i);
                f32* out = op.y + (row * chunks + start / CHUNK) * (slot.value_dim + 2);
                out[column] = sums.o[i][0];
                out[column + 1] = sums.o[i][1];
                if (column == 0) {
                    out[slot.value_dim] = chunk_maximum(shared, query + i);
                    out[slot.value_dim + 1] = sums.l[i];
                }
            }
        }
    }
}

template <class T>
DEVICE void attend_chunk(const Attention& op, Slot<T> slot, int chunks, int queries, int per_block) {
    ATTENTION_WORKSPACE(1);
    int group = op.heads / slot.kv_heads;
    int start = block_x() * CHUNK;
    int first = block_y() / slot.kv_heads * per_block;
    int end = smaller(first + per_block, queries * group);
    UNROLL_BY(1) while (first < end) {
        Batch batch = batch_of(op, block_y() % slot.kv_heads, group, first, end, start);
        slot.pages = pages_of(op.step, batch.view.slice);
        load_queries(op, slot, shared, batch);
        barrier();
        if (batch.count <= MOST_BATCH / 2) {
            attend_chunk_batch<T, MOST_BATCH / 2>(op, slot, shared, batch, start, chunks);
        } else {
            attend_chunk_batch<T, MOST_BATCH>(op, slot, shared, batch, start, chunks);
        }
        barrier();
        first += batch.count;
    }
}

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
            i32 key_dim, i32 value_dim, i32 window, f32 scale, f32 soft_cap, i32 block, i32 selected, i32 queries)) {    \
        attend<T>({q, y, sinks, step, heads, window, scale, soft_cap, block, selected}, SLOT_OF(T), queries);            \
    }                                                                                                                    \
    KERNEL(attention_split_##name, 128,                                                                                  \
           (const f32* q, f32* part, const f32* sinks, const i32* step, i64 slot_offset, i32 heads, i32 kv_heads,         \
            i32 key_dim, i32 value_dim, i32 window, f32 scale, f32 soft_cap, i32 block, i32 selected, i32 chunks,        \
            i32 queries, i32 per_block)) {                                                                               \
        attend_chunk<T>({q, part, sinks, step, heads, window, scale, soft_cap, block, selected}, SLOT_OF(T), chunks,     \
                        queries, per_block);                                                                             \
    }

ATTENTION_KERNELS(f16, u16)
ATTENTION_KERNELS(f32, f32)

/** Merges the chunks of a query row and head in ascending order; factors are computed by a thread per chunk. */
#define MERGE_PARAMETERS                                                                                               \
    const f32 *part, f32 *y, const f32 *sinks, const i32 *step, i32 heads, i32 value_dim, i32 window, i32 block, \
        i32 selected, i32 chunks
DEVICE void merge_chunks(MERGE_PARAMETERS, u8* xq) {
    SHARED(f32, maxima, CHUNK);
    SHARED(f32, sums, CHUNK);
    SHARED(f32, old_factors, CHUNK);
    SHARED(f32, new_factors, CHUNK);
    int head = block_x();
    int query = block_y();
    View view = view_of(step, query, selected, window, block);
    i64 row = i64(query) * heads + head;
    int first = view.first / CHUNK;
    int end = (view.end + CHUNK - 1) / CHUNK;
    const f32* from = part + row * chunks * (value_dim + 2);
    constexpr int MOST_COLUMNS = MOST_DIM / CHUNK;
    f32 o[MOST_COLUMNS] = {};
    f32 maximum = 0.0f;
    f32 sum = 0.0f;
    UNROLL_BY(1) for (int base = first; base < end; base += CHUNK) {
        int count = smaller(CHUNK, end - base);
        if (thread() < count) {
            const f32* at = from + i64(base + thread()) * (value_dim + 2) + value_dim;
            maxima[thread()] = at[0];
            sums[thread()] = at[1];
        }
        barrier();
        f32 before = maximum;
        if (thread() < count) {
            // The first chunk of all is taken as it is.
            bool taken = base > first;
            UNROLL_BY(8) for (int i = 0; i < thread(); i++) {
                before = taken ? larger(before, maxima[i]) : maxima[i];
                taken = true;
            }
            f32 joint = taken ? larger(before, maxima[thread()]) : maxima[thread()];
            old_factors[thread()] = taken ? exponential(before - joint) : 0.0f;
            new_factors[thread()] = taken ? exponential(maxima[thread()] - joint) : 1.0f;
        }
        barrier();
        UNROLL_BY(1) for (int c = 0; c < MOST_COLUMNS; c++) {
            int column = c * CHUNK + thread();
            if (column < value_dim) {
                const f32* at = from + i64(base) * (value_dim + 2) + column;
                f32 value = 0.0f;
                UNROLL for (int k = 0; k < MOST_COLUMNS; k++) { value = k == c ? o[k] : value; }
                UNROLL_BY(8) for (int i = 0; i < count; i++) {
                    f32 next = at[i64(i) * (value_dim + 2)];
                    bool taken = base + i > first;
                    value = taken ? multiply_add(value, old_factors[i], next * new_factors[i]) : next;
                }
                UNROLL for (int k = 0; k < MOST_COLUMNS; k++) { o[k] = k == c ? value : o[k]; }
            }
        }
        UNROLL_BY(8) for (int i = 0; i < count; i++) {
            bool taken = base + i > first;
            maximum = taken ? larger(maximum, maxima[i]) : maxima[i];
            sum = taken ? multiply_add(sum, old_factors[i], sums[i] * new_factors[i]) : sums[i];
        }
        barrier();
    }
    Running running = {maximum, sum, false};
    f32 a = 1.0f;
    f32 b = 0.0f;
    if (sinks != nullptr) {
        running.merge(sinks[head], 1.0f, a, b);
    }
    UNROLL for (int c = 0; c < MOST_COLUMNS; c++) {
        int column = c * CHUNK + thread();
        if (column < value_dim) {
            f32 value = sinks == nullptr ? o[c] : multiply_add(o[c], a, 0.0f * b);
            value = value / running.sum;
            if (y != nullptr) {
                y[row * value_dim + column] = value;
            }
            if (xq != nullptr) {
                store_column(xq, heads * value_dim, query, head * value_dim + column, value);
            }
        }
    }
}

KERNEL(attention_merge, 128, (MERGE_PARAMETERS)) {
    merge_chunks(part, y, sinks, step, heads, value_dim, window, block, selected, chunks, nullptr);
}

/** attention_merge, then quantize; y may be absent. value_dim is a multiple of 32, heads * value_dim one of 256. */
KERNEL(attention_merge_quantize, 128, (MERGE_PARAMETERS, u8* xq)) {
    merge_chunks(part, y, sinks, step, heads, value_dim, window, block, selected, chunks, xq);
}
