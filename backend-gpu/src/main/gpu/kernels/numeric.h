// The functions of the numeric contract (N2, N3): straight-line f32, the same operations in the same order everywhere.
#pragma once

#include "../vendor/vendor.h"

constexpr f32 ROUNDER = 12582912.0f;
constexpr i32 ROUNDER_BITS = 0x4B400000;
constexpr u32 INFINITY_BITS = 0x7f800000;

DEVICE f32 absolute(f32 x) { return bit_cast<f32>(bit_cast<u32>(x) & 0x7fffffff); }
DEVICE f32 infinity() { return bit_cast<f32>(INFINITY_BITS); }
DEVICE f32 not_a_number() { return bit_cast<f32>(0x7fc00000u); }
DEVICE f32 larger(f32 a, f32 b) { return a > b ? a : b; }
DEVICE int smaller(int a, int b) { return a < b ? a : b; }
DEVICE int larger(int a, int b) { return a > b ? a : b; }
DEVICE f32 with_sign(f32 magnitude, f32 sign) {
    return bit_cast<f32>(bit_cast<u32>(magnitude) | (bit_cast<u32>(sign) & 0x80000000u));
}

DEVICE f32 power_of_two(i32 exponent) { return bit_cast<f32>((exponent + 127) << 23); }

DEVICE f32 exponential(f32 x) {
    f32 y = x < -104.0f ? -104.0f : x;
    y = y > 89.0f ? 89.0f : y;
    f32 rounded = multiply_add(y, 0x1.715476p0f, ROUNDER);
    f32 n = rounded - ROUNDER;
    f32 high = multiply_add(n, -0x1.62e430p-1f, y);
    f32 r = multiply_add(n, 0x1.05c610p-29f, high);
    f32 q = multiply_add(0x1.6a2434p-10f, r, 0x1.1239e2p-7f);
    q = multiply_add(q, r, 0x1.5558f2p-5f);
    q = multiply_add(q, r, 0x1.555492p-3f);
    q = multiply_add(q, r, 0x1.fffffcp-2f);
    f32 tail = multiply_add(n, 0x1.05c610p-29f, (r * r) * q);
    f32 sum = 1.0f + high;
    f32 lost = (1.0f - sum) + high;
    f32 p = sum + (lost + tail);
    i32 exponent = bit_cast<i32>(rounded) - ROUNDER_BITS;
    i32 half = exponent >> 1;
    return (p * power_of_two(half)) * power_of_two(exponent - half);
}

DEVICE f32 logarithm(f32 x) {
    bool subnormal = x < 0x1p-126f;
    i32 bits = bit_cast<i32>(subnormal ? x * 0x1p23f : x);
    i32 exponent = (bits - 0x3F3504F3) >> 23;
    f32 f = bit_cast<f32>(i32(u32(bits) - (u32(exponent) << 23))) - 1.0f;
    f32 k = bit_cast<f32>(ROUNDER_BITS + exponent) - ROUNDER;
    k = subnormal ? k - 23.0f : k;
    f32 p = multiply_add(0x1.146318p-4f, f, -0x1.de4fa2p-4f);
    p = multiply_add(p, f, 0x1.e6f604p-4f);
    p = multiply_add(p, f, -0x1.fc1f6cp-4f);
    p = multiply_add(p, f, 0x1.2336e2p-3f);
    p = multiply_add(p, f, -0x1.555c5ap-3f);
    p = multiply_add(p, f, 0x1.99a4bcp-3f);
    p = multiply_add(p, f, -0x1.000006p-2f);
    p = multiply_add(p, f, 0x1.555548p-2f);
    f32 square = f * f;
    f32 tail = multiply_add(k, -0x1.05c610p-29f, (square * f) * p);
    tail = multiply_add(square, -0.5f, tail);
    f32 result = multiply_add(k, 0x1.62e430p-1f, f + tail);
    result = x == 0.0f ? -infinity() : result;
    result = x < 0.0f ? not_a_number() : result;
    return x < infinity() ? result : x;
}

DEVICE f32 hyperbolic_tangent(f32 x) {
    f32 magnitude = absolute(x);
    f32 square = x * x;
    f32 p = multiply_add(-0x1.75e1ccp-8f, square, 0x1.52269cp-6f);
    p = multiply_add(p, square, -0x1.b83c5ap-5f);
    p = multiply_add(p, square, 0x1.110726p-3f);
    p = multiply_add(p, square, -0x1.555532p-2f);
    f32 near_zero = multiply_add(magnitude * square, p, magnitude);
    f32 away = 1.0f - 2.0f / (exponential(magnitude + magnitude) + 1.0f);
    return with_sign(magnitude < 0.625f ? near_zero : away, x);
}

DEVICE f32 error_function(f32 x) {
    f32 magnitude = absolute(x);
    f32 square = x * x;
    f32 p = multiply_add(0x1.5cd4b0p-14f, square, -0x1.aa3f2ep-11f);
    p = multiply_add(p, square, 0x1.54c7f6p-8f);
    p = multiply_add(p, square, -0x1.b80e90p-6f);
    p = multiply_add(p, square, 0x1.ce2e0ap-4f);
    p = multiply_add(p, square, -0x1.812742p-2f);
    p = multiply_add(p, square, 0x1.06eba8p-3f);
    f32 near_zero = multiply_add(magnitude, p, magnitude);
    f32 t = magnitude > 4.0f ? 4.0f : magnitude;
    f32 q = multiply_add(-0x1.78dbccp-17f, t, 0x1.527be4p-12f);
    q = multiply_add(q, t, -0x1.dd6c98p-9f);
    q = multiply_add(q, t, 0x1.85514ep-6f);
    q = multiply_add(q, t, -0x1.b32570p-4f);
    q = multiply_add(q, t, -0x1.45328ep-1f);
    q = multiply_add(q, t, -0x1.20ef1cp0f);
    f32 away = 1.0f - exponential(q * t);
    return with_sign(magnitude < 0.925f ? near_zero : away, x);
}

DEVICE f32 sigmoid(f32 x) { return 1.0f / (1.0f + exponential(-x)); }

enum Activation { SILU, GELU_TANH, GELU_ERF, SIGMOID };

DEVICE f32 activate(int activation, f32 x) {
    switch (activation) {
        case SILU:
            return x * sigmoid(x);
        case GELU_TANH:
            return (0.5f * x) *
                   (1.0f + hyperbolic_tangent(0x1.988454p-1f * multiply_add(0.044715f * x, x * x, x)));
        case GELU_ERF:
            return (0.5f * x) * (1.0f + error_function(x * 0x1.6a09e6p-1f));
        default:
            return sigmoid(x);
    }
}

/** The end of the f32 rule: lane j holds partial j; every lane gets the sum. */
DEVICE f32 butterfly(f32 p) {
    p += shuffle_xor<16>(p);
    p += shuffle_xor<8>(p);
    p += shuffle_xor<4>(p);
    p += shuffle_xor<2>(p);
    return p + shuffle_xor<1>(p);
}

DEVICE f32 warp_largest(f32 x) {
    x = larger(x, shuffle_xor<16>(x));
    x = larger(x, shuffle_xor<8>(x));
    x = larger(x, shuffle_xor<4>(x));
    x = larger(x, shuffle_xor<2>(x));
    return larger(x, shuffle_xor<1>(x));
}

DEVICE u64 warp_largest(u64 x) {
    u64 y = shuffle_xor<16>(x);
    x = y > x ? y : x;
    y = shuffle_xor<8>(x);
    x = y > x ? y : x;
    y = shuffle_xor<4>(x);
    x = y > x ? y : x;
    y = shuffle_xor<2>(x);
    x = y > x ? y : x;
    y = shuffle_xor<1>(x);
    return y > x ? y : x;
}

/** The ranking as an integer: a greater key comes first. Value descending, id ascending, NaN last, -0 equal to +0. */
DEVICE u64 rank_key(f32 value, u32 id) {
    u32 bits = value == 0.0f ? 0 : bit_cast<u32>(value);
    u32 ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    ordered = value == value ? ordered : 0;
    return u64(ordered) << 32 | (~0u - id);
}

DEVICE u32 id_of(u64 key) { return ~0u - u32(key); }
