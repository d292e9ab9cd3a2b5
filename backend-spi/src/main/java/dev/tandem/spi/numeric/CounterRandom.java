package dev.tandem.spi.numeric;

/**
 * Random numbers that are a function of seed, position and draw, with no state to shift.
 *
 * <p>Three rounds of a 64-bit mixer absorb the arguments in turn:
 *
 * <pre>
 *   h₁ = mix(seed + G)
 *   h₂ = mix((h₁ ^ position) + G)
 *   h₃ = mix((h₂ ^ draw) + G)         draw sign-extended
 *   u  = (h₃ &gt;&gt;&gt; 11) · 2⁻⁵³
 * </pre>
 *
 * where G = 0x9E3779B97F4A7C15 and mix is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014, variant 13 of Stafford). Each round is a bijection of its newest argument, so two
 * positions of one seed never share a stream. A step drawn twice, alone, in a batch or after speculation gives the same
 * number. Not for cryptography.
 */
public final class CounterRandom {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final int MANTISSA_SHIFT = 11;
    private static final double ULP_OF_HALF = 0x1p-53;

    private CounterRandom() {}

    /**
     * A number uniform in [0, 1).
     *
     * @param seed the stream; any value
     * @param position position of the token in its sequence
     * @param draw which number of that position
     * @return a multiple of 2⁻⁵³, at least 0 and below 1
     */
    public static double uniform(long seed, long position, int draw) {
        return (bits(seed, position, draw) >>> MANTISSA_SHIFT) * ULP_OF_HALF;
    }

    /**
     * 64 random bits.
     *
     * @param seed the stream; any value
     * @param position position of the token in its sequence
     * @param draw which number of that position
     * @return h₃ of the class comment
     */
    public static long bits(long seed, long position, int draw) {
        long hash = mix(seed + GOLDEN_GAMMA);
        hash = mix((hash ^ position) + GOLDEN_GAMMA);
        return mix((hash ^ draw) + GOLDEN_GAMMA);
    }

    private static long mix(long z) {
        long mixed = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
