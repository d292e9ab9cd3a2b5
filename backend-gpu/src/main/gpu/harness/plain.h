// The contract as plain loops, independent of the kernels' data layouts.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "driver.h"

namespace plain {

using std::vector;

inline std::mt19937 random_bits(7);

inline f32 uniform() { return f32(int(random_bits() % 20001) - 10000) / 10000.0f; }

inline vector<f32> values(size_t n, f32 scale = 1.0f) {
    vector<f32> v(n);
    for (f32& x : v) {
        x = uniform() * (random_bits() % 50 == 0 ? 4.0f : 1.0f) * scale;
    }
    return v;
}

inline u16 half(f32 x) {
    _Float16 y = _Float16(x);
    u16 bits;
    std::memcpy(&bits, &y, 2);
    return bits;
}

inline f32 widened(u16 bits) {
    _Float16 y;
    std::memcpy(&y, &bits, 2);
    return f32(y);
}

inline f32 from_bits(u32 bits) {
    f32 x;
    std::memcpy(&x, &bits, 4);
    return x;
}

inline f32 butterfly(f32 (&p)[32]) {
    for (int s = 16; s > 0; s /= 2) {
        for (int j = 0; j < s; j++) {
            p[j] += p[j + s];
        }
    }
    return p[0];
}

template <class A, class B>
f32 dot(A a, B b, int n) {
    f32 p[32] = {};
    for (int i = 0; i < n; i++) {
        p[i % 32] = std::fma(f32(a(i)), f32(b(i)), p[i % 32]);
    }
    return butterfly(p);
}

inline f32 exponential(f32 x) {
    f32 y = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
    f32 rounded = std::fma(y, 0x1.715476p0f, 12582912.0f);
    f32 n = rounded - 12582912.0f;
    f32 high = std::fma(n, -0x1.62e430p-1f, y);
    f32 r = std::fma(n, 0x1.05c610p-29f, high);
    f32 q = std::fma(0x1.6a2434p-10f, r, 0x1.1239e2p-7f);
    q = std::fma(q, r, 0x1.5558f2p-5f);
    q = std::fma(q, r, 0x1.555492p-3f);
    q = std::fma(q, r, 0x1.fffffcp-2f);
    f32 tail = std::fma(n, 0x1.05c610p-29f, (r * r) * q);
    f32 sum = 1.0f + high;
    f32 p = sum + (((1.0f - sum) + high) + tail);
    int e = int(n);
    int first = e >> 1;
    return (p * std::ldexp(1.0f, first)) * std::ldexp(1.0f, e - first);
}

/** A row of activations as int8. */
struct Quantised {
    vector<int> q;
    vector<f32> d;
};

inline Quantised quantise(const f32* x, int n) {
    Quantised r;
    for (int b = 0; b < n / 32; b++) {
        f32 amax = 0;
        for (int i = 0; i < 32; i++) {
            amax = std::max(amax, std::fabs(x[32 * b + i]));
        }
        f32 d = amax < 0x1p-100f ? 0.0f : amax / 127.0f;
        f32 inverse = d == 0 ? 0.0f : 1.0f / d;
        r.d.push_back(d);
        for (int i = 0; i < 32; i++) {
            r.q.push_back(int((x[32 * b + i] * inverse + 12582912.0f) - 12582912.0f));
        }
    }
    return r;
}

enum Scaling { BLOCK, HALF, PRODUCT };

/** Integer weights in the terms of the contract's table. */
struct Weights {
    bool bytes;
    Scaling scaling;
    int flags;
    int out;
    int blocks;
    vector<int> q;                 // [out][columns], before any zero is added
    vector<u16> d, m;              // per block (BLOCK) or per segment, as 16 bits
    vector<int> s0, s1, t0, t1;    // per block

    int segments() const { return (blocks + 7) / 8; }
    f32 widen(u16 bits) const { return flags & 2 ? from_bits(u32(bits) << 16) : widened(bits); }

    static Weights random(bool bytes, Scaling scaling, int flags, int out, int blocks) {
        Weights w{bytes, scaling, flags, out, blocks, {}, {}, {}, {}, {}, {}, {}};
        for (int i = 0; i < out * blocks * 32; i++) {
            int r = int(random_bits() >> 8);
            w.q.push_back(bytes ? r % 256 - 128 : r % 16 - (flags & 4 ? 8 : 0));
        }
        for (int i = 0; i < out * blocks; i++) {
            w.d.push_back(flags & 2 ? u16(0x3c00 + random_bits() % 64) : half(0.01f * uniform()));
            w.m.push_back(half(0.05f * uniform()));
            w.s0.push_back(int(random_bits() % 64) - (flags & 1 ? 0 : 32));
            w.s1.push_back(int(random_bits() % 64) - 32);
            w.t0.push_back(int(random_bits() % 64));
            w.t1.push_back(int(random_bits() % 64));
        }
        return w;
    }

    f32 product(int o, const Quantised& x) const {
        f32 total = 0;
        f32 acc = 0;
        for (int b = 0; b < blocks; b++) {
            int at = o * blocks + b;
            int segment = o * blocks + b / 8 * 8;
            int s[2] = {0, 0};
            int a[2] = {0, 0};
            for (int i = 0; i < 32; i++) {
                s[i / 16] += q[at * 32 + i] * x.q[32 * b + i];
                a[i / 16] += x.q[32 * b + i];
            }
            f32 dw = scaling == BLOCK ? widen(d[at]) : widened(d[segment]);
            f32 ow = scaling == BLOCK ? widened(m[at]) : -widened(m[segment]);
            int sum = s[0] + s[1];
            int offset = a[0] + a[1];
            if (scaling == HALF) {
                sum = s0[at] * s[0] + s1[at] * s[1];
                offset = t0[at] * a[0] + t1[at] * a[1];
            } else if (scaling == PRODUCT) {
                dw = dw * f32(s0[at]);
                ow = -(widened(m[segment]) * f32(t0[at]));
            }
            acc = std::fma(f32(sum), dw * x.d[b], b % 8 == 0 ? 0.0f : acc);
            if (flags & 1) {
                acc = std::fma(f32(offset), ow * x.d[b], acc);
            }
            if (b % 8 == 7 || b == blocks - 1) {
                total += acc;
            }
        }
        return total;
    }

    int record_bytes() const {
        return (bytes ? 4096 : 2048) + (scaling != PRODUCT && (flags & 1) ? 512 : 256) + (scaling != BLOCK ? 64 : 0);
    }

    vector<u8> packed() const {
        int tiles = (out + 15) / 16;
        int size = record_bytes();
        vector<u8> data(size_t(tiles) * segments() * size);
        for (int o = 0; o < out; o++) {
            for (int b = 0; b < blocks; b++) {
                u8* record = data.data() + (size_t(o / 16) * segments() + b / 8) * size;
                int row = o % 16;
                int at = o * blocks + b;
                int k = b % 8;
                for (int c = 0; c < 32; c++) {
                    int v = q[at * 32 + c] + (flags & 4 ? 8 : 0);
                    if (bytes) {
                        record[512 * k + 16 * (4 * (row % 8) + c % 16 / 4) + 8 * (c / 16) + 4 * (row / 8) + c % 4] = u8(v);
                    } else {
                        record[512 * (k / 2) + 16 * (4 * (row % 8) + c % 16 / 4) + 8 * (k % 2) + 4 * (row / 8) + c % 4] |=
                            u8(v << (c < 16 ? 0 : 4));
                    }
                }
                u8* words = record + (bytes ? 4096 : 2048);
                u16 word = scaling == BLOCK ? d[at] : u16((s0[at] & 255) | (scaling == HALF ? s1[at] : t0[at]) << 8);
                std::memcpy(words + 2 * (8 * row + k), &word, 2);
                words += 256;
                if (scaling != PRODUCT && (flags & 1)) {
                    u16 offsets = scaling == BLOCK ? m[at] : u16(t0[at] | t1[at] << 8);
                    std::memcpy(words + 2 * (8 * row + k), &offsets, 2);
                    words += 256;
                }
                if (scaling != BLOCK) {
                    int segment = o * blocks + b / 8 * 8;
                    u32 both = d[segment] | (flags & 1 ? u32(m[segment] ^ 0x8000) << 16 : 0);
                    std::memcpy(words + 4 * row, &both, 4);
                }
            }
        }
        return data;
    }
};

}  // namespace plain
