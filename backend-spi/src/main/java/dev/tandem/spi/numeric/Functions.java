package dev.tandem.spi.numeric;

/**
 * Elementary functions of the contract, in f32 operations that every device has.
 *
 * <p>Each function is straight-line code: multiply, add, fma, divide, compare, select, and shifts of the bit pattern. There
 * are no tables, no double precision and no branches whose two sides could round differently, so a vector lane or a GPU
 * thread that repeats the operations in this order, with these constants, returns the same bits. {@code a ? b : c} below
 * is a select: both sides may be computed.
 *
 * <p>NaN in gives NaN out; its payload is not specified. Subnormal arguments and results are exact citizens: nothing is
 * flushed. The largest errors, measured against {@link StrictMath} over every float, stand in {@code docs/numerics.md}.
 */
public final class Functions {
    /** 1.5 · 2²³. Adding it rounds a float of magnitude below 2²² to an integer, kept in the low bits of the sum. */
    public static final float ROUNDER = 12582912f;
    /** Bit pattern of {@link #ROUNDER}: {@code bits(ROUNDER + n) − ROUNDER_BITS == n} for integers |n| &lt; 2²². */
    public static final int ROUNDER_BITS = 0x4B400000;

    /** exp is 0 at and below this argument. */
    public static final float EXP_LOWEST = -104f;
    /** exp is +∞ at and above this argument. */
    public static final float EXP_HIGHEST = 89f;
    /** 1 / ln 2. */
    public static final float LOG2_E = 0x1.715476p0f;
    /** ln 2 rounded to f32. */
    public static final float LN2_HIGH = 0x1.62e430p-1f;
    /** ln 2 − {@link #LN2_HIGH}, rounded to f32. */
    public static final float LN2_LOW = -0x1.05c610p-29f;
    /** exp: coefficient of r²; the ones before it are 1 and 1. Minimax of (eʳ − 1 − r) / r² on |r| ≤ ln 2 / 2. */
    public static final float EXP_C2 = 0x1.fffffcp-2f;
    /** exp: coefficient of r³. */
    public static final float EXP_C3 = 0x1.555492p-3f;
    /** exp: coefficient of r⁴. */
    public static final float EXP_C4 = 0x1.5558f2p-5f;
    /** exp: coefficient of r⁵. */
    public static final float EXP_C5 = 0x1.1239e2p-7f;
    /** exp: coefficient of r⁶. */
    public static final float EXP_C6 = 0x1.6a2434p-10f;

    /** Smallest normal float; smaller arguments of log are scaled up first. */
    public static final float SMALLEST_NORMAL = 0x1p-126f;
    /** 2²³, the scale for subnormal arguments of log. */
    public static final float LOG_SCALE = 0x1p23f;
    /** Bit pattern of √½ rounded to f32: the mantissa's range is [√½, √2). */
    public static final int SQRT_HALF_BITS = 0x3F3504F3;
    /** log: coefficient of f³; the ones before it are 1 and −½. Minimax of (log(1 + f) − f + f²/2) / f³. */
    public static final float LOG_C3 = 0x1.555548p-2f;
    /** log: coefficient of f⁴. */
    public static final float LOG_C4 = -0x1.000006p-2f;
    /** log: coefficient of f⁵. */
    public static final float LOG_C5 = 0x1.99a4bcp-3f;
    /** log: coefficient of f⁶. */
    public static final float LOG_C6 = -0x1.555c5ap-3f;
    /** log: coefficient of f⁷. */
    public static final float LOG_C7 = 0x1.2336e2p-3f;
    /** log: coefficient of f⁸. */
    public static final float LOG_C8 = -0x1.fc1f6cp-4f;
    /** log: coefficient of f⁹. */
    public static final float LOG_C9 = 0x1.e6f604p-4f;
    /** log: coefficient of f¹⁰. */
    public static final float LOG_C10 = -0x1.de4fa2p-4f;
    /** log: coefficient of f¹¹. */
    public static final float LOG_C11 = 0x1.146318p-4f;

    /** tanh: below this magnitude the polynomial is taken, from it on the exponential. */
    public static final float TANH_SPLIT = 0.625f;
    /** tanh: coefficient of x³. Minimax of (tanh x − x) / x³ in x². */
    public static final float TANH_C3 = -0x1.555532p-2f;
    /** tanh: coefficient of x⁵. */
    public static final float TANH_C5 = 0x1.110726p-3f;
    /** tanh: coefficient of x⁷. */
    public static final float TANH_C7 = -0x1.b83c5ap-5f;
    /** tanh: coefficient of x⁹. */
    public static final float TANH_C9 = 0x1.52269cp-6f;
    /** tanh: coefficient of x¹¹. */
    public static final float TANH_C11 = -0x1.75e1ccp-8f;

    /** erf: below this magnitude the polynomial is taken, from it on the exponential. */
    public static final float ERF_SPLIT = 0.925f;
    /** erf is ±1 at and beyond this magnitude. */
    public static final float ERF_HIGHEST = 4f;
    /** erf: coefficient of x, less 1. Minimax of erf x / x − 1 in x². */
    public static final float ERF_C1 = 0x1.06eba8p-3f;
    /** erf: coefficient of x³. */
    public static final float ERF_C3 = -0x1.812742p-2f;
    /** erf: coefficient of x⁵. */
    public static final float ERF_C5 = 0x1.ce2e0ap-4f;
    /** erf: coefficient of x⁷. */
    public static final float ERF_C7 = -0x1.b80e90p-6f;
    /** erf: coefficient of x⁹. */
    public static final float ERF_C9 = 0x1.54c7f6p-8f;
    /** erf: coefficient of x¹¹. */
    public static final float ERF_C11 = -0x1.aa3f2ep-11f;
    /** erf: coefficient of x¹³. */
    public static final float ERF_C13 = 0x1.5cd4b0p-14f;
    /** erf: coefficient of t in ln(1 − erf t). Minimax of that logarithm divided by t. */
    public static final float ERF_L1 = -0x1.20ef1cp0f;
    /** erf: coefficient of t². */
    public static final float ERF_L2 = -0x1.45328ep-1f;
    /** erf: coefficient of t³. */
    public static final float ERF_L3 = -0x1.b32570p-4f;
    /** erf: coefficient of t⁴. */
    public static final float ERF_L4 = 0x1.85514ep-6f;
    /** erf: coefficient of t⁵. */
    public static final float ERF_L5 = -0x1.dd6c98p-9f;
    /** erf: coefficient of t⁶. */
    public static final float ERF_L6 = 0x1.527be4p-12f;
    /** erf: coefficient of t⁷. */
    public static final float ERF_L7 = -0x1.78dbccp-17f;

    /** √½, for the erf form of GELU. */
    public static final float SQRT_HALF = 0x1.6a09e6p-1f;
    /** √(2/π), for the tanh form of GELU. */
    public static final float SQRT_2_OVER_PI = 0x1.988454p-1f;
    /** The cubic coefficient of the tanh form of GELU. */
    public static final float GELU_CUBIC = 0.044715f;

    private static final int SIGN_BIT = 0x80000000;
    private static final int EXPONENT_SHIFT = 23;
    private static final int EXPONENT_BIAS = 127;

    private Functions() {}

    /**
     * Nearest integer, ties to even, for magnitudes below 2²².
     *
     * @param x the argument
     * @return (x + {@link #ROUNDER}) − {@link #ROUNDER}; ±0 becomes +0
     */
    public static float rint(float x) {
        return (x + ROUNDER) - ROUNDER;
    }

    /**
     * eˣ.
     *
     * <p>x is clamped to [{@link #EXP_LOWEST}, {@link #EXP_HIGHEST}] and split into n · ln 2 + r with n an integer and
     * |r| ≤ ln 2 / 2. eʳ is 1 + r + r² · Q(r), where 1 + r keeps what its rounding loses and r's low part joins the smallest
     * term; the result is scaled by 2ⁿ in two halves, so that a subnormal is rounded once more and an overflow is +∞.
     *
     * @param x the argument
     * @return eˣ; 0 for −∞, +∞ for +∞
     */
    public static float exp(float x) {
        float y = x < EXP_LOWEST ? EXP_LOWEST : x;
        y = y > EXP_HIGHEST ? EXP_HIGHEST : y;
        float rounded = Math.fma(y, LOG2_E, ROUNDER);
        float n = rounded - ROUNDER;
        float high = Math.fma(n, -LN2_HIGH, y);
        float r = Math.fma(n, -LN2_LOW, high);
        float q = Math.fma(EXP_C6, r, EXP_C5);
        q = Math.fma(q, r, EXP_C4);
        q = Math.fma(q, r, EXP_C3);
        q = Math.fma(q, r, EXP_C2);
        float tail = Math.fma(n, -LN2_LOW, (r * r) * q);
        float sum = 1f + high;
        float lost = (1f - sum) + high;
        float p = sum + (lost + tail);
        int exponent = Float.floatToRawIntBits(rounded) - ROUNDER_BITS;
        int half = exponent >> 1;
        return (p * powerOfTwo(half)) * powerOfTwo(exponent - half);
    }

    private static float powerOfTwo(int exponent) {
        return Float.intBitsToFloat((exponent + EXPONENT_BIAS) << EXPONENT_SHIFT);
    }

    /**
     * Natural logarithm.
     *
     * <p>x = 2ᵏ · (1 + f) with 1 + f in [√½, √2), exactly; the result is k · ln 2 + f − f²/2 + f³ · P(f), added from the
     * smallest term on.
     *
     * @param x the argument
     * @return ln x; −∞ for ±0, NaN below 0, +∞ for +∞
     */
    public static float log(float x) {
        boolean subnormal = x < SMALLEST_NORMAL;
        int bits = Float.floatToRawIntBits(subnormal ? x * LOG_SCALE : x);
        int exponent = (bits - SQRT_HALF_BITS) >> EXPONENT_SHIFT;
        float f = Float.intBitsToFloat(bits - (exponent << EXPONENT_SHIFT)) - 1f;
        float k = Float.intBitsToFloat(ROUNDER_BITS + exponent) - ROUNDER;
        k = subnormal ? k - EXPONENT_SHIFT : k;
        float p = Math.fma(LOG_C11, f, LOG_C10);
        p = Math.fma(p, f, LOG_C9);
        p = Math.fma(p, f, LOG_C8);
        p = Math.fma(p, f, LOG_C7);
        p = Math.fma(p, f, LOG_C6);
        p = Math.fma(p, f, LOG_C5);
        p = Math.fma(p, f, LOG_C4);
        p = Math.fma(p, f, LOG_C3);
        float square = f * f;
        float tail = Math.fma(k, LN2_LOW, (square * f) * p);
        tail = Math.fma(square, -0.5f, tail);
        float result = Math.fma(k, LN2_HIGH, f + tail);
        result = x == 0f ? Float.NEGATIVE_INFINITY : result;
        result = x < 0f ? Float.NaN : result;
        return x < Float.POSITIVE_INFINITY ? result : x;
    }

    /**
     * Hyperbolic tangent.
     *
     * <p>Below {@link #TANH_SPLIT}: |x| + |x|³ · P(x²). From it on: 1 − 2 / (exp(2|x|) + 1). The sign is put back last.
     *
     * @param x the argument
     * @return tanh x; ±1 for ±∞, ±0 for ±0
     */
    public static float tanh(float x) {
        float magnitude = Math.abs(x);
        float square = x * x;
        float p = Math.fma(TANH_C11, square, TANH_C9);
        p = Math.fma(p, square, TANH_C7);
        p = Math.fma(p, square, TANH_C5);
        p = Math.fma(p, square, TANH_C3);
        float near = Math.fma(magnitude * square, p, magnitude);
        float far = 1f - 2f / (exp(magnitude + magnitude) + 1f);
        return withSign(magnitude < TANH_SPLIT ? near : far, x);
    }

    /** {@code magnitude}, at least +0, with the sign bit of {@code sign}. */
    private static float withSign(float magnitude, float sign) {
        return Float.intBitsToFloat(Float.floatToRawIntBits(magnitude) | (Float.floatToRawIntBits(sign) & SIGN_BIT));
    }

    /**
     * Logistic function.
     *
     * @param x the argument
     * @return 1 / (1 + exp(−x)): 0 for −∞ and wherever exp(−x) overflows, 1 for +∞
     */
    public static float sigmoid(float x) {
        return 1f / (1f + exp(-x));
    }

    /**
     * Smooth maximum of x and 0.
     *
     * @param x the argument
     * @return max(x, 0) + log(1 + exp(−|x|)): 0 for −∞, +∞ for +∞
     */
    public static float softplus(float x) {
        float positive = x > 0f ? x : 0f;
        return positive + log(1f + exp(-Math.abs(x)));
    }

    /**
     * SiLU, also called swish.
     *
     * @param x the argument
     * @return x · sigmoid(x); NaN for −∞
     */
    public static float silu(float x) {
        return x * sigmoid(x);
    }

    /**
     * Error function.
     *
     * <p>Below {@link #ERF_SPLIT}: |x| + |x| · P(x²). From it on: 1 − exp(|x| · Q(|x|)), |x| clamped to
     * {@link #ERF_HIGHEST}. The sign is put back last.
     *
     * @param x the argument
     * @return erf x; ±1 for ±∞, ±0 for ±0
     */
    public static float erf(float x) {
        float magnitude = Math.abs(x);
        float square = x * x;
        float p = Math.fma(ERF_C13, square, ERF_C11);
        p = Math.fma(p, square, ERF_C9);
        p = Math.fma(p, square, ERF_C7);
        p = Math.fma(p, square, ERF_C5);
        p = Math.fma(p, square, ERF_C3);
        p = Math.fma(p, square, ERF_C1);
        float near = Math.fma(magnitude, p, magnitude);
        float t = magnitude > ERF_HIGHEST ? ERF_HIGHEST : magnitude;
        float q = Math.fma(ERF_L7, t, ERF_L6);
        q = Math.fma(q, t, ERF_L5);
        q = Math.fma(q, t, ERF_L4);
        q = Math.fma(q, t, ERF_L3);
        q = Math.fma(q, t, ERF_L2);
        q = Math.fma(q, t, ERF_L1);
        float far = 1f - exp(q * t);
        return withSign(magnitude < ERF_SPLIT ? near : far, x);
    }

    /**
     * GELU by the error function.
     *
     * @param x the argument
     * @return (½ · x) · (1 + erf(x · √½)); NaN for −∞
     */
    public static float geluErf(float x) {
        return (0.5f * x) * (1f + erf(x * SQRT_HALF));
    }

    /**
     * GELU by its usual approximation with tanh.
     *
     * @param x the argument
     * @return (½ · x) · (1 + tanh(√(2/π) · fma(0.044715 · x, x · x, x))); NaN for −∞
     */
    public static float geluTanh(float x) {
        float inner = Math.fma(GELU_CUBIC * x, x * x, x);
        return (0.5f * x) * (1f + tanh(SQRT_2_OVER_PI * inner));
    }
}
