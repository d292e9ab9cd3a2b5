// Cases of the harness; included by harness.cc.
#pragma once

static int up(int a, int b) { return (a + b - 1) / b; }

static std::string text(const char* format, ...) {
    char buffer[256];
    va_list list;
    va_start(list, format);
    std::vsnprintf(buffer, sizeof buffer, format, list);
    va_end(list);
    return buffer;
}

struct IntegerForm {
    const char* name;
    bool bytes;
    plain::Scaling scaling;
    int flags;
    bool many;
};

static const vector<IntegerForm> FORMS = {
    {"q8_block", true, plain::BLOCK, 0, true},          {"q4_product", false, plain::PRODUCT, 1, true},
    {"q8_half", true, plain::HALF, 0, true},            {"q8_product", true, plain::PRODUCT, 1, true},
    {"q4_block_zero8", false, plain::BLOCK, 4, true},   {"q8_block_offset", true, plain::BLOCK, 1, false},
    {"q8_block_bf16", true, plain::BLOCK, 2, false},    {"q4_block_offset", false, plain::BLOCK, 1, false},
    {"q4_half_offset", false, plain::HALF, 1, false},   {"q4_half_zero8", false, plain::HALF, 4, false}};

static size_t quantised_bytes(int rows, int columns) { return size_t(up(rows, 8)) * up(columns, 256) * 2560; }

static void quantise(const Buffer& x, const Buffer& xq, int rows, int columns) {
    launch("quantize", up(rows * up(columns, 256) * 8, 32), 1, 256, {x, xq, rows, columns});
}

static void matmul(const IntegerForm& form, int out, int columns, int rows, bool with_bias, int sized) {
    plain::Weights w = plain::Weights::random(form.bytes, form.scaling, form.flags, out, columns / 32);
    vector<f32> x = plain::values(size_t(rows) * columns);
    vector<f32> bias = plain::values(out);
    Buffer weights(w.packed());
    Buffer input(x);
    Buffer b(bias);
    Buffer xq(quantised_bytes(rows, columns));
    Buffer y(size_t(rows) * out * 4);
    quantise(input, xq, rows, columns);
    int segments = up(columns, 256);
    int split = 32 * std::min(segments, 8);
    int grid_x = sized == 64 ? up(out, 64) : up(out, 16);
    int grid_y = up(rows, sized);
    std::string kernel = text("matmul_%s_%d", form.name, sized);
    launch(kernel, grid_x, grid_y, sized == 64 ? 128 : split,
           {weights, xq, with_bias ? &b : nullptr, y, nullptr, out, columns, rows, 1, 0});
    vector<f32> expected;
    for (int r = 0; r < rows; r++) {
        plain::Quantised q = plain::quantise(x.data() + size_t(r) * columns, columns);
        for (int o = 0; o < out; o++) {
            f32 sum = w.product(o, q);
            expected.push_back(with_bias ? sum + bias[o] : sum);
        }
    }
    check(text("%s [%d, %d] rows %d", kernel.c_str(), out, columns, rows), y, expected.size(), &expected);
}

static void matmul_cases(bool small) {
    struct Size {
        int sized;
        int rows;
    };
    for (const IntegerForm& form : FORMS) {
        for (Size s : vector<Size>{{1, 1}, {1, 3}, {8, 2}, {8, 19}, {16, 9}, {16, 16}, {32, 17}, {32, 40}, {64, 33}, {64, 70}}) {
            if (s.sized > 8 && !form.many) {
                continue;
            }
            matmul(form, 40, 352, s.rows, true, s.sized);
            if (!small) {
                matmul(form, 80, 1024, s.rows, false, s.sized);
                matmul(form, 16, 32, s.rows, false, s.sized);
            }
        }
        if (!small) {
            matmul(form, 16, 17600, 8, false, 8);
            matmul(form, 16, 33024, 1, true, 1);
            if (form.many) {
                matmul(form, 16, 9600, 16, false, 16);
                matmul(form, 16, 9600, 30, false, 32);
            }
        }
    }
}

static void expert_matmul(const IntegerForm& form, int pieces) {
    int experts = 3, used = 2, rows = 5, out = 24, columns = 320;
    vector<plain::Weights> w;
    vector<u8> data;
    for (int e = 0; e < experts; e++) {
        w.push_back(plain::Weights::random(form.bytes, form.scaling, form.flags, out, columns / 32));
        vector<u8> one = w.back().packed();
        data.insert(data.end(), one.begin(), one.end());
    }
    int inputs = pieces ? rows * used : rows;
    vector<f32> x = plain::values(size_t(inputs) * columns);
    vector<f32> bias = plain::values(experts * out);
    vector<int> ids;
    for (int i = 0; i < rows * used; i++) {
        ids.push_back(int(plain::random_bits() % experts));
    }
    Buffer weights(data), input(x), b(bias), id(ids), xq(quantised_bytes(inputs, columns)),
        y(size_t(rows) * used * out * 4);
    quantise(input, xq, inputs, columns);
    launch(text("matmul_%s_1", form.name), up(out, 16), rows * used, 64,
           {weights, xq, b, y, id, out, columns, rows * used, used, pieces});
    vector<f32> expected;
    for (int task = 0; task < rows * used; task++) {
        const f32* row = x.data() + size_t(pieces ? task : task / used) * columns;
        plain::Quantised q = plain::quantise(row, columns);
        for (int o = 0; o < out; o++) {
            expected.push_back(w[ids[task]].product(o, q) + bias[ids[task] * out + o]);
        }
    }
    check(text("experts %s pieces %d", form.name, pieces), y, expected.size(), &expected);
}

static vector<u8> packed_floats(const vector<f32>& w, int out, int columns, int type, vector<f32>& rounded) {
    int per_lane = type == 0 ? 4 : 8;
    int chunks = up(columns, 32 * per_lane);
    vector<u8> data(size_t(out) * chunks * 512);
    rounded = w;
    for (int o = 0; o < out; o++) {
        for (int c = 0; c < columns; c++) {
            u8* at = data.data() + (size_t(o) * chunks + c / (32 * per_lane)) * 512;
            int index = c % 32 * per_lane + c / 32 % per_lane;
            f32 v = w[size_t(o) * columns + c];
            if (type == 0) {
                std::memcpy(at + 4 * index, &v, 4);
            } else {
                u32 bits;
                std::memcpy(&bits, &v, 4);
                u16 word = type == 1 ? plain::half(v) : u16(bits >> 16);
                std::memcpy(at + 2 * index, &word, 2);
                rounded[size_t(o) * columns + c] = type == 1 ? plain::widened(word) : plain::from_bits(u32(word) << 16);
            }
        }
    }
    return data;
}

static void float_matmul(int type, int out, int columns, int rows, int sized) {
    static const char* names[] = {"f32", "f16", "bf16"};
    vector<f32> w;
    vector<u8> data = packed_floats(plain::values(size_t(out) * columns), out, columns, type, w);
    vector<f32> x = plain::values(size_t(rows) * columns);
    vector<f32> bias = plain::values(out);
    Buffer weights(data), input(x), b(bias), y(size_t(rows) * out * 4);
    launch(text("matmul_%s_%d", names[type], sized), up(out, 8), sized == 1 ? rows : up(rows, 8), 256,
           {weights, input, b, y, nullptr, out, columns, rows, 1, 0});
    vector<f32> expected;
    for (int r = 0; r < rows; r++) {
        for (int o = 0; o < out; o++) {
            expected.push_back(plain::dot([&](int i) { return w[size_t(o) * columns + i]; },
                                          [&](int i) { return x[size_t(r) * columns + i]; }, columns) +
                               bias[o]);
        }
    }
    check(text("matmul_%s_%d [%d, %d] rows %d", names[type], sized, out, columns, rows), y, expected.size(), &expected);
}

/** Sequences with pages, committed rows and an open step. */
struct Sequences {
    int rows = 0;
    vector<i32> slice, depth, path_at, path, first, count, committed;
    int most_pages = 0;
};

static Sequences sequences(const vector<int>& committed, const vector<vector<int>>& parents) {
    Sequences s;
    for (size_t i = 0; i < committed.size(); i++) {
        s.first.push_back(s.rows);
        s.count.push_back(int(parents[i].size()));
        s.committed.push_back(committed[i]);
        s.most_pages = std::max(s.most_pages, up(committed[i] + int(parents[i].size()), 128));
        bool chained = true;
        int base = int(s.path.size());
        for (size_t r = 0; r < parents[i].size(); r++) {
            chained &= parents[i][r] == int(r) - 1;
            s.slice.push_back(int(i));
            if (chained) {  // the rows of a chain share its one path
                s.depth.push_back(int(r));
                s.path_at.push_back(base);
                s.path.push_back(int(r));
                s.rows++;
                continue;
            }
            vector<int> path;
            for (int at = int(r); at >= 0; at = parents[i][at]) {
                path.insert(path.begin(), at);
            }
            s.depth.push_back(int(path.size()) - 1);
            s.path_at.push_back(int(s.path.size()));
            s.path.insert(s.path.end(), path.begin(), path.end());
            s.rows++;
        }
    }
    return s;
}

static vector<i32> step_data(const Sequences& s, const vector<i32>& selected, const vector<vector<u64>>& pages) {
    vector<i32> data(16);
    auto put = [&](int header, const vector<i32>& part) {
        data[header] = int(data.size());
        data.insert(data.end(), part.begin(), part.end());
    };
    put(0, s.slice);
    put(1, s.depth);
    put(2, s.path_at);
    put(3, s.path);
    put(4, s.first);
    put(5, s.count);
    put(6, s.committed);
    data[7] = s.most_pages;
    put(9, selected);
    data.resize((data.size() + 1) / 2 * 2);
    data[8] = int(data.size());
    for (const auto& sequence : pages) {
        for (int p = 0; p < s.most_pages; p++) {
            u64 address = p < int(sequence.size()) ? sequence[p] : 0;
            data.push_back(i32(u32(address)));
            data.push_back(i32(u32(address >> 32)));
        }
    }
    return data;
}

struct AttentionCase {
    bool half;
    int heads, kv_heads, key_dim, value_dim, window;
    f32 soft_cap;
    bool sinks, block, selected;
    vector<int> committed;
    vector<vector<int>> parents;
};

static void attention(const AttentionCase& c) {
    Sequences s = sequences(c.committed, c.parents);
    int e = up(c.key_dim, 32), size = c.half ? 2 : 4;
    size_t slot = size_t(c.kv_heads) * 128 * (32 * e + c.value_dim) * size;
    long long offset = 512;
    int slices = int(c.committed.size());
    Buffer pool(size_t(slices) * s.most_pages * (slot + 512));
    vector<i32> selected;
    for (int r = 0; r < s.rows; r += 2) {
        selected.push_back(r);
    }
    // The history is appended first, as rows of an earlier step.
    vector<vector<vector<f32>>> keys(slices), values(slices);
    auto pages_of = [&](size_t d) {
        vector<vector<u64>> pages(slices);
        for (int i = 0; i < slices; i++) {
            for (int p = 0; p < s.most_pages; p++) {
                pages[i].push_back(pool.at[d] + size_t(i * s.most_pages + p) * (slot + 512));
            }
        }
        return pages;
    };
    auto step_buffer = [&](const Sequences& of) {
        size_t n = step_data(of, selected, pages_of(0)).size();
        auto buffer = std::make_unique<Buffer>(n * 4);
        for (size_t d = 0; d < h.drivers.size(); d++) {
            vector<i32> data = step_data(of, selected, pages_of(d));
            h.drivers[d]->upload(buffer->at[d], data.data(), n * 4);
        }
        return buffer;
    };
    const char* type = c.half ? "f16" : "f32";
    auto append = [&](const Sequences& of) {
        vector<f32> k = plain::values(size_t(of.rows) * c.kv_heads * c.key_dim);
        vector<f32> v = plain::values(size_t(of.rows) * c.kv_heads * c.value_dim);
        for (int r = 0; r < of.rows; r++) {
            auto row = [&](vector<f32>& from, int width) {
                vector<f32> data(from.begin() + size_t(r) * width, from.begin() + size_t(r + 1) * width);
                for (f32& x : data) {
                    x = c.half ? plain::widened(plain::half(x)) : x;
                }
                return data;
            };
            keys[of.slice[r]].push_back(row(k, c.kv_heads * c.key_dim));
            values[of.slice[r]].push_back(row(v, c.kv_heads * c.value_dim));
        }
        Buffer kb(k), vb(v);
        auto step = step_buffer(of);
        launch(std::string("kv_append_") + type, of.rows, 1, 128,
               {kb, vb, *step, offset, c.kv_heads, c.key_dim, c.value_dim});
        for (auto& d : h.drivers) {
            d->synchronise();
        }
    };
    vector<vector<int>> chains;
    for (int n : c.committed) {
        vector<int> chain;
        for (int i = 0; i < n; i++) {
            chain.push_back(i - 1);
        }
        chains.push_back(chain);
    }
    Sequences history = sequences(vector<int>(slices, 0), chains);
    history.most_pages = s.most_pages;
    append(history);
    append(s);
    int queries = c.selected ? int(selected.size()) : s.rows;
    vector<f32> q = plain::values(size_t(queries) * c.heads * c.key_dim, 2.0f);
    vector<f32> sinks = plain::values(c.heads);
    Buffer qb(q), sb(sinks), whole(size_t(queries) * c.heads * c.value_dim * 4);
    auto step = step_buffer(s);
    f32 scale = 0.17f;
    int group = c.heads / c.kv_heads;
    const Buffer* sinks_or_null = c.sinks ? &sb : nullptr;
    launch(std::string("attention_") + type, c.kv_heads, up(queries * group, 8), 128,
           {qb, whole, sinks_or_null, *step, offset, c.heads, c.kv_heads, c.key_dim, c.value_dim, c.window, scale, c.soft_cap,
            int(c.block), int(c.selected), queries});
    // The plain loop.
    vector<f32> expected;
    for (int i = 0; i < queries; i++) {
        int row = c.selected ? selected[i] : i;
        int sl = s.slice[row], committed = s.committed[sl];
        int end = committed + s.depth[row] + 1;
        int first = c.window == 0 ? 0 : std::max(0, end - c.window);
        end = c.block ? committed + s.count[sl] : end;
        for (int head = 0; head < c.heads; head++) {
            int kv = head / group;
            vector<f32> o(c.value_dim);
            f32 running = 0, sum = 0;
            bool empty = true;
            auto merge = [&](f32 m, f32 l, const vector<f32>& part) {
                if (empty) {
                    running = m, sum = l, o = part, empty = false;
                    return;
                }
                f32 joint = std::max(running, m);
                f32 a = plain::exponential(running - joint), b = plain::exponential(m - joint);
                running = joint;
                sum = std::fma(sum, a, l * b);
                for (int j = 0; j < c.value_dim; j++) {
                    o[j] = std::fma(o[j], a, part[j] * b);
                }
            };
            for (int start = first / 128 * 128; start < end; start += 128) {
                vector<f32> scores, part(c.value_dim);
                vector<int> places;
                for (int p = std::max(first, start); p < std::min(end, start + 128); p++) {
                    int place = c.block || p < committed ? p : committed + s.path[s.path_at[row] + p - committed];
                    f32 score = plain::dot([&](int j) { return q[(size_t(i) * c.heads + head) * c.key_dim + j]; },
                                           [&](int j) { return keys[sl][place][kv * c.key_dim + j]; }, c.key_dim) *
                                scale;
                    scores.push_back(score);
                    places.push_back(place);
                }
                f32 m = *std::max_element(scores.begin(), scores.end()), l = 0;
                for (size_t p = 0; p < places.size(); p++) {
                    f32 w = plain::exponential(scores[p] - m);
                    l += w;
                    for (int j = 0; j < c.value_dim; j++) {
                        part[j] = std::fma(w, values[sl][places[p]][kv * c.value_dim + j], part[j]);
                    }
                }
                merge(m, l, part);
            }
            if (c.sinks) {
                merge(sinks[head], 1.0f, vector<f32>(c.value_dim));
            }
            for (int j = 0; j < c.value_dim; j++) {
                expected.push_back(o[j] / sum);
            }
        }
    }
    std::string name = text("attention_%s heads %d/%d dims %d/%d window %d cap %g sinks %d block %d selected %d", type, c.heads,
                            c.kv_heads, c.key_dim, c.value_dim, c.window, c.soft_cap, c.sinks, c.block, c.selected);
    check(name, whole, expected.size(), c.soft_cap > 0 ? nullptr : &expected);
    for (int per_block : {5, 8, 32}) {
        int chunks = s.most_pages + 1;
        Buffer part(size_t(queries) * c.heads * chunks * (c.value_dim + 2) * 4);
        Buffer split(size_t(queries) * c.heads * c.value_dim * 4);
        launch(std::string("attention_split_") + type, chunks, c.kv_heads * up(queries * group, per_block), 128,
               {qb, part, sinks_or_null, *step, offset, c.heads, c.kv_heads, c.key_dim, c.value_dim, c.window, scale,
                c.soft_cap, int(c.block), int(c.selected), chunks, queries, per_block});
        launch("attention_merge", c.heads, queries, 128,
               {part, split, sinks_or_null, *step, c.heads, c.value_dim, c.window, int(c.block), int(c.selected), chunks});
        vector<f32> last = whole.read<f32>(h.drivers.size() - 1);
        check(name + text(" split by %d", per_block), split, expected.size(), &last);
        if (c.value_dim % 32 == 0 && c.heads * c.value_dim % 256 == 0) {
            size_t bytes = quantised_bytes(queries, c.heads * c.value_dim);
            Buffer xq(bytes), fused(bytes);
            quantise(split, xq, queries, c.heads * c.value_dim);
            launch("attention_merge_quantize", c.heads, queries, 128,
                   {part, nullptr, sinks_or_null, *step, c.heads, c.value_dim, c.window, int(c.block), int(c.selected), chunks,
                    fused});
            vector<u32> single = xq.read<u32>(h.drivers.size() - 1);
            check(name + " quantised", fused, bytes / 4, &single);
        }
    }
}

static vector<int> chain(int n) {
    vector<int> p;
    for (int i = 0; i < n; i++) {
        p.push_back(i - 1);
    }
    return p;
}

static void attention_cases(bool small) {
    vector<int> tree = {-1, 0, 0, -1, 3, 1, 5, 2, 7};
    for (bool half : {true, false}) {
        attention({half, 4, 2, 64, 64, 0, 0, false, false, false, {130}, {tree}});
        attention({half, 8, 2, 128, 128, 0, 0, true, false, false, {253}, {chain(1)}});
        if (small) {
            continue;
        }
        attention({half, 8, 4, 64, 64, 100, 0, false, false, false, {250, 40}, {chain(20), chain(3)}});
        attention({half, 4, 1, 128, 128, 0, 0, false, false, false, {17000}, {chain(1)}});
        attention({half, 4, 4, 16, 16, 0, 0, false, false, true, {0, 126}, {chain(5), tree}});
        attention({half, 6, 2, 80, 48, 40, 0, false, false, false, {300, 7}, {tree, chain(3)}});
        attention({half, 10, 2, 256, 256, 0, 0, true, false, false, {200}, {chain(2)}});
        attention({half, 4, 2, 96, 64, 150, 30.0f, false, false, false, {260}, {chain(3)}});
        attention({half, 4, 1, 128, 130, 0, 0, false, true, false, {120}, {chain(16)}});
        attention({half, 2, 2, 64, 320, 0, 0, true, false, false, {128}, {tree}});
    }
    // kv_move, against a page that the same kernel gets on both.
    for (const char* type : {"f16", "f32"}) {
        int size = type[1] == '1' ? 2 : 4, kv_heads = 2, key_dim = 80, value_dim = 48;
        size_t slot = size_t(kv_heads) * 128 * (96 + value_dim) * size;
        vector<u8> data(2 * slot);
        for (u8& b : data) {
            b = u8(plain::random_bits());
        }
        Buffer pool(data), table(16), path(vector<i32>{1, 2, 5, 6, 9});
        for (size_t d = 0; d < h.drivers.size(); d++) {
            u64 pages[2] = {pool.at[d], pool.at[d] + slot};
            h.drivers[d]->upload(table.at[d], pages, 16);
        }
        launch(std::string("kv_move_") + type, up(kv_heads * (96 + value_dim), 128), 1, 128,
               {table, path, 5, 124, 0LL, kv_heads, key_dim, value_dim});
        check<u32>(std::string("kv_move_") + type, pool, 2 * slot / 4);
    }
}

static void ranked(const std::string& name, vector<f32> x, int rows, int n, int k, bool with_t) {
    vector<f32> t;
    for (int r = 0; r < rows; r++) {
        t.push_back(0.5f + 0.25f * r);
    }
    int chunks = up(n, 4096);
    Buffer xb(x), tb(t), scratch(size_t(rows) * chunks * (64 * k + 8)), ids(size_t(rows) * k * 4), logs(size_t(rows) * k * 4);
    const Buffer* t_or_null = with_t ? &tb : nullptr;
    launch("top_k_part", chunks, rows, 256, {xb, t_or_null, scratch, rows, n, k});
    launch("top_k_sum", chunks, rows, 256, {xb, t_or_null, scratch, rows, n, k});
    launch("top_k_final", rows, 1, 256, {xb, t_or_null, scratch, ids, logs, rows, n, k});
    vector<i32> expected;
    for (int r = 0; r < rows; r++) {
        vector<int> order(n);
        for (int i = 0; i < n; i++) {
            order[i] = i;
        }
        f32 factor = with_t ? t[r] : 1.0f;
        auto value = [&](int i) { return x[size_t(r) * n + i] * factor; };
        std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int a, int b) {
            f32 va = value(a), vb = value(b);
            if (std::isnan(va) || std::isnan(vb)) {
                return std::isnan(va) != std::isnan(vb) ? std::isnan(vb) : a < b;
            }
            return va != vb ? va > vb : a < b;
        });
        expected.insert(expected.end(), order.begin(), order.begin() + k);
    }
    check("top k ids " + name, ids, expected.size(), &expected);
    bool has_nan = name == "nan" || name == "-inf";
    if (!has_nan) {
        check<f32>("top k log-probabilities " + name, logs, expected.size());
    }
    if (k == 1) {
        Buffer best(rows * 4);
        launch("arg_max", rows, 1, 256, {scratch, best, rows, n});
        check("argmax " + name, best, rows, &expected);
    }
}

static void vocabulary_cases(bool small) {
    ranked("1 x 257", plain::values(257), 1, 257, 8, false);
    if (small) {
        return;
    }
    ranked("15 x 151936", plain::values(15 * 151936, 8.0f), 15, 151936, 8, true);
    ranked("1 x 248320", plain::values(248320, 8.0f), 1, 248320, 64, false);
    ranked("all equal", vector<f32>(3 * 5000, 0.25f), 3, 5000, 5, false);
    ranked("1 x 1", plain::values(1), 1, 1, 1, false);
    ranked("5 x 7", plain::values(35), 5, 7, 7, true);
    ranked("argmax", plain::values(3 * 9001), 3, 9001, 1, false);
    vector<f32> ties = plain::values(20000);
    for (size_t i = 0; i < ties.size(); i++) {
        ties[i] = std::floor(ties[i] * 4) == 0 ? -0.0f : std::floor(ties[i] * 4);
    }
    ranked("ties", ties, 2, 10000, 64, false);
    vector<f32> nan = plain::values(9000);
    nan[5] = nan[4500] = NAN;
    ranked("nan", nan, 1, 9000, 64, false);
    ranked("all nan", vector<f32>(300, NAN), 1, 300, 1, false);
    ranked("-inf", vector<f32>(600, -INFINITY), 2, 300, 3, false);
}

static void row_cases() {
    for (int n : {64, 96, 128, 896, 4096, 5120, 12288}) {
        int groups = n == 128 ? 12 : 2;
        vector<f32> x = plain::values(size_t(groups) * n), gain = plain::values(n), bias = plain::values(n), expected;
        Buffer xb(x), gb(gain), bb(bias), y(x.size() * 4), z(x.size() * 4), l(x.size() * 4);
        int block = std::min(256, up(n, 32) * 32);
        launch("rms_norm", groups, 1, block, {xb, gb, y, n, 1e-5f});
        launch("layer_norm", groups, 1, block, {xb, gb, bb, z, n, 1e-5f});
        launch("l2_norm", groups, 1, block, {xb, l, n, 1e-6f});
        for (int g = 0; g < groups; g++) {
            auto at = [&](int i) { return x[size_t(g) * n + i]; };
            f32 r = 1.0f / std::sqrt(plain::dot(at, at, n) / f32(n) + 1e-5f);
            for (int i = 0; i < n; i++) {
                expected.push_back(at(i) * r * gain[i]);
            }
        }
        check(text("rms_norm %d", n), y, expected.size(), &expected);
        check<f32>(text("layer_norm %d", n), z, expected.size());
        check<f32>(text("l2_norm %d", n), l, expected.size());
    }
    // Fused kernels against the single ones: the same bits in all outputs.
    for (int n : {64, 320, 4096}) {
        int rows = 3;
        vector<f32> a = plain::values(rows * n), b = plain::values(rows * n), gain = plain::values(n);
        size_t bytes = quantised_bytes(rows, n);
        Buffer ab(a), bb(b), gb(gain), s(a.size() * 4), y(a.size() * 4), xq(bytes), s2(a.size() * 4), y2(a.size() * 4),
            xq2(bytes);
        auto same_as = [&](const char* what, const Buffer& one, const Buffer& other, size_t count) {
            vector<u32> last = other.read<u32>(h.drivers.size() - 1);
            check(what, one, count, &last);
        };
        launch("add", up(rows * n, 256), 1, 256, {ab, bb, s, rows * n, n, 0});
        launch("rms_norm", rows, 1, 64, {s, gb, y, n, 1e-5f});
        quantise(y, xq, rows, n);
        launch("norm_quantize", rows, 1, 256, {ab, bb, gb, s2, y2, xq2, n, 1e-5f});
        same_as("norm_quantize sum", s2, s, rows * n);
        same_as("norm_quantize norm", y2, y, rows * n);
        same_as("norm_quantize quants", xq2, xq, bytes / 4);
        launch("gate", up(rows * n, 256), 1, 256, {ab, bb, y, rows * n, n, 0, 0});
        quantise(y, xq, rows, n);
        launch("gate_quantize", up(rows * up(n, 256) * 8, 32), 1, 256, {ab, bb, y2, xq2, rows, n, 0});
        same_as("gate_quantize gate", y2, y, rows * n);
        same_as("gate_quantize quants", xq2, xq, bytes / 4);
    }
    int rows = 3, n = 960, count = rows * n;
    vector<f32> a = plain::values(count, 3.0f), b = plain::values(count, 3.0f), one = plain::values(rows);
    Buffer ab(a), bb(b), ob(one), y(size_t(count) * 4);
    int grid = up(count, 256);
    for (int broadcast : {0, 1}) {
        launch("multiply", grid, 1, 256, {ab, broadcast ? ob : bb, y, count, n, broadcast});
        check<f32>("multiply", y, count);
        for (int activation = 0; activation < 4; activation++) {
            launch("gate", grid, 1, 256, {broadcast ? ob : ab, bb, y, count, n, broadcast, activation});
            check<f32>(text("gate %d", activation), y, count);
        }
    }
    launch("add", grid, 1, 256, {ab, bb, y, count, n, 0});
    check<f32>("add", y, count);
    launch("scale", grid, 1, 256, {ab, y, count, 0.37f});
    check<f32>("scale", y, count);
    launch("soft_cap", grid, 1, 256, {ab, y, count, 1.5f});
    check<f32>("soft_cap", y, count);
    launch("clamped_gate", grid, 1, 256, {ab, bb, y, count, 1.702f, 2.0f});
    check<f32>("clamped_gate", y, count);
    Buffer index(vector<i32>{2, 0, 2, 1}), picked(size_t(4) * n * 4), columns(size_t(rows) * 30 * 8 * 4);
    launch("select_rows", 4, 1, 128, {ab, index, picked, n});
    check<f32>("select_rows", picked, 4 * n);
    launch("copy_columns", up(rows * 30 * 8, 256), 1, 256, {ab, columns, rows * 30 * 8, 30, 8, n, 32, 5, 240, 8, 0});
    check<f32>("copy_columns", columns, rows * 30 * 8);
    vector<f32> table = plain::values(rows * 64);
    Sequences s = sequences({0}, {chain(rows)});
    Buffer tb(table), step(step_data(s, {2, 1, 0}, {{0}}));
    for (int interleaved : {0, 1}) {
        for (int selected : {0, 1}) {
            launch("rope", rows, 1, 128, {ab, tb, y, step, selected, n, 96, 16, 32, interleaved});
            check<f32>("rope", y, count);
        }
    }
}

static void expert_cases() {
    for (int scoring = 0; scoring < 3; scoring++) {
        for (int renormalise : {0, 1}) {
            for (int groups : {0, 4}) {
                int experts = 128, used = 6, rows = 5;
                vector<f32> logits = plain::values(rows * experts, 3.0f), bias = plain::values(experts);
                logits[3] = logits[7];
                Buffer lb(logits), bb(bias), ids(rows * used * 4), weights(rows * used * 4);
                launch("moe_route", rows, 1, 32,
                       {lb, groups ? &bb : nullptr, ids, weights, experts, used, scoring, renormalise, 2.5f, groups, 2});
                check<i32>(text("moe_route ids %d %d", scoring, groups), ids, rows * used);
                check<f32>(text("moe_route weights %d %d %d", scoring, groups, renormalise), weights, rows * used);
                int n = 100;
                Buffer e(plain::values(rows * used * n)), y(rows * n * 4);
                launch("moe_combine", up(rows * n, 256), 1, 256, {e, weights, y, rows * n, n, used});
                check<f32>("moe_combine", y, rows * n);
            }
        }
    }
}

static void run_cases(bool small) {
    auto group = [&](const char* name, const std::function<void()>& body) {
        if (h.filter.empty() || h.filter == name) {
            int compared = h.compared, failed = h.failed;
            body();
            for (auto& d : h.drivers) {
                d->synchronise();
            }
            std::printf("%-12s %5d comparisons, %d differ\n", name, h.compared - compared, h.failed - failed);
            std::fflush(stdout);
        }
    };
    group("matmul", [&] { matmul_cases(small); });
    group("experts", [&] {
        for (const IntegerForm& form : FORMS) {
            expert_matmul(form, 0);
            expert_matmul(form, 1);
        }
        expert_cases();
    });
    group("floats", [&] {
        for (int type = 0; type < 3; type++) {
            for (int columns : {64, 300, 1024}) {
                float_matmul(type, 20, columns, 3, 1);
                float_matmul(type, 20, columns, 11, 8);
            }
        }
    });
    group("attention", [&] { attention_cases(small); });
    group("rows", [&] { row_cases(); });
    group("vocabulary", [&] { vocabulary_cases(small); });
}
