// Device times; included by harness.cc. Weights are rotated over several gigabytes, so that no cache holds them.
#pragma once

static double time_matmul(const IntegerForm& form, int out, int columns, int rows, int sized, int warps) {
    plain::Weights shape{form.bytes, form.scaling, form.flags, 16, columns / 32, {}, {}, {}, {}, {}, {}, {}};
    size_t bytes = size_t(up(out, 16)) * shape.segments() * shape.record_bytes();
    int copies = int(std::min<size_t>(64, (size_t(2) << 30) / bytes + 1));
    vector<std::unique_ptr<Buffer>> weights;
    for (int i = 0; i < copies; i++) {
        weights.push_back(std::make_unique<Buffer>(bytes, 0x11 + i));
    }
    Buffer x(plain::values(size_t(rows) * columns)), xq(quantised_bytes(rows, columns)), y(size_t(rows) * out * 4);
    quantise(x, xq, rows, columns);
    std::string kernel = text("matmul_%s_%d", form.name, sized);
    int grid_x = sized == 64 ? up(out, 64) : up(out, 16);
    int grid_y = up(rows, sized);
    int block = sized == 64 ? 128 : 32 * std::min(shape.segments(), warps);
    double us = h.drivers[0]->time(std::max(copies, 16), [&](int i) {
        launch(kernel, grid_x, grid_y, block,
               {*weights[i % copies], xq, nullptr, y, nullptr, out, columns, rows, 1, 0});
    });
    std::printf("%-24s [%6d, %5d] rows %3d warps %2d  %8.2f us  %6.0f GB/s\n", kernel.c_str(), out, columns, rows, warps, us,
                bytes / us / 1000);
    std::fflush(stdout);
    return us;
}

static void time_attention(int context, int rows, int per_block) {
    int heads = 32, kv_heads = 8, dim = 128;
    vector<int> committed = {context - rows};
    Sequences s = sequences(committed, {chain(rows)});
    size_t slot = size_t(kv_heads) * 128 * 2 * dim * 2;
    int copies = std::max(1, int((size_t(256) << 20) / (slot * s.most_pages)));
    vector<std::unique_ptr<Buffer>> pools, steps;
    for (int c = 0; c < copies; c++) {
        pools.push_back(std::make_unique<Buffer>(slot * s.most_pages, 0x11));
        vector<vector<u64>> pages(1);
        for (int p = 0; p < s.most_pages; p++) {
            pages[0].push_back(pools[c]->at[0] + slot * p);
        }
        steps.push_back(std::make_unique<Buffer>(step_data(s, {}, pages)));
    }
    int chunks = up(context, 128);
    Buffer q(plain::values(size_t(rows) * heads * dim)), y(size_t(rows) * heads * dim * 4),
        part(size_t(rows) * heads * chunks * (dim + 2) * 4);
    double us = h.drivers[0]->time(std::max(copies, 16), [&](int i) {
        const Buffer& step = *steps[i % copies];
        if (per_block > 0) {
            launch("attention_split_f16", chunks, kv_heads * up(rows * heads / kv_heads, per_block), 128,
                   {q, part, nullptr, step, 0LL, heads, kv_heads, dim, dim, 0, 0.1f, 0.0f, 0, 0, chunks, rows,
                    per_block});
            launch("attention_merge", heads, rows, 128, {part, y, nullptr, step, heads, dim, 0, 0, 0, chunks});
        } else {
            launch("attention_f16", kv_heads, up(rows * heads / kv_heads, 8), 128,
                   {q, y, nullptr, step, 0LL, heads, kv_heads, dim, dim, 0, 0.1f, 0.0f, 0, 0, rows});
        }
    });
    std::printf("attention f16 context %d rows %d per block %d  %8.2f us\n", context, rows, per_block, us);
    std::fflush(stdout);
}

static void run_timing() {
    int shapes[][2] = {{4096, 4096}, {14336, 4096}, {4096, 14336}, {151936, 4096}};
    for (auto& s : shapes) {
        for (int f : {0, 1}) {
            const IntegerForm& form = FORMS[f];
            for (int warps : {4, 8}) {
                time_matmul(form, s[0], s[1], 1, 1, warps);
            }
            for (int warps : {4, 8}) {
                time_matmul(form, s[0], s[1], 4, 8, warps);
                time_matmul(form, s[0], s[1], 16, 16, warps);
            }
            time_matmul(form, s[0], s[1], 32, 32, 8);
            if (s[0] < 100000) {
                time_matmul(form, s[0], s[1], 64, 32, 8);
                time_matmul(form, s[0], s[1], 64, 64, 4);
                time_matmul(form, s[0], s[1], 512, 64, 4);
            }
        }
    }
    time_matmul(FORMS[2], 4096, 14336, 1, 1, 8);
    if (h.filter == "matmul") {
        return;
    }
    for (int context : {512, 4096, 32768}) {
        time_attention(context, 1, 8);
        for (int per_block : {8, 16, 32, 64}) {
            time_attention(context, 4, per_block);
            time_attention(context, 16, per_block);
        }
    }
    time_attention(512, 512, 0);
    time_attention(512, 512, 8);
    time_attention(4096, 512, 0);
    int rows = 15, n = 151936, k = 8, chunks = up(n, 4096);
    Buffer x(plain::values(size_t(rows) * n, 8.0f)), scratch(size_t(rows) * chunks * (64 * k + 8)), ids(rows * k * 4),
        logs(rows * k * 4);
    double us = h.drivers[0]->time(16, [&](int) {
        launch("top_k_part", chunks, rows, 256, {x, nullptr, scratch, rows, n, k});
        launch("top_k_sum", chunks, rows, 256, {x, nullptr, scratch, rows, n, k});
        launch("top_k_final", rows, 1, 256, {x, nullptr, scratch, ids, logs, rows, n, k});
    });
    std::printf("top k %d x %d k %d  %8.2f us\n", rows, n, k, us);
    us = h.drivers[0]->time(16, [&](int) {
        launch("top_k_part", chunks, 1, 256, {x, nullptr, scratch, 1, n, 1});
        launch("arg_max", 1, 1, 256, {scratch, ids, 1, n});
    });
    std::printf("argmax 1 x %d  %8.2f us\n", n, us);
    for (int r : {1, 16}) {
        Buffer xb(plain::values(size_t(r) * 4096)), gain(plain::values(4096)), y(size_t(r) * 4096 * 4), xq(quantised_bytes(r, 4096));
        us = h.drivers[0]->time(32, [&](int) { launch("rms_norm", r, 1, 256, {xb, gain, y, 4096, 1e-5f}); });
        std::printf("rms_norm %d x 4096  %8.2f us\n", r, us);
        us = h.drivers[0]->time(32, [&](int) { quantise(xb, xq, r, 4096); });
        std::printf("quantize %d x 4096  %8.2f us\n", r, us);
        us = h.drivers[0]->time(32, [&](int) {
            launch("norm_quantize", r, 1, 256, {xb, y, gain, y, nullptr, xq, 4096, 1e-5f});
        });
        std::printf("norm_quantize %d x 4096  %8.2f us\n", r, us);
    }
}
