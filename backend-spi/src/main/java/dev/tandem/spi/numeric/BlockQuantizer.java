package dev.tandem.spi.numeric;

import java.util.Objects;

/**
 * Rounds activations to signed bytes with one scale per block of 32, the activation side of an integer dot product.
 *
 * <p>Per block: amax = max |x|; d = amax / 127 in f32; where amax &lt; 2⁻¹⁰⁰, d = 0 and every q = 0; else
 * q = rint(x · (1 / d)) with {@link Functions#rint}, which lies in [−127, 127]. The sum of the block's q is exact.
 *
 * <p>A block that holds a NaN or an infinity gets d = NaN or +∞ and every q = 0: each dot product with it is then
 * 0 · d = NaN, so the fault reaches the logits instead of being rounded away.
 */
public final class BlockQuantizer {
    /** Elements of a block. */
    public static final int BLOCK = 32;
    /** Largest magnitude of a quantised activation. */
    public static final int MAX_Q = 127;
    /** A block whose greatest magnitude is below this becomes zero: 1 / d would not be finite much further down. */
    public static final float SMALLEST_AMAX = 0x1p-100f;

    private BlockQuantizer() {}

    /**
     * Quantises {@code n} activations, block by block.
     *
     * @param x activations
     * @param xOffset first activation
     * @param n number of activations, a multiple of {@link #BLOCK}
     * @param q receives n quantised activations
     * @param qOffset first element of {@code q} to write
     * @param d receives n / 32 scales
     * @param sums receives n / 32 sums of q
     * @param blockOffset first element of {@code d} and {@code sums} to write
     * @throws IllegalArgumentException where n is no whole number of blocks
     * @throws IndexOutOfBoundsException where an array is too short
     */
    public static void quantize(
            float[] x, int xOffset, int n, byte[] q, int qOffset, float[] d, int[] sums, int blockOffset) {
        if (n % BLOCK != 0) {
            throw new IllegalArgumentException(n + " activations are no whole number of blocks of " + BLOCK);
        }
        int blocks = n / BLOCK;
        Objects.checkFromIndexSize(xOffset, n, x.length);
        Objects.checkFromIndexSize(qOffset, n, q.length);
        Objects.checkFromIndexSize(blockOffset, blocks, Math.min(d.length, sums.length));
        for (int block = 0; block < blocks; block++) {
            float scale = scale(x, xOffset + block * BLOCK);
            d[blockOffset + block] = scale;
            sums[blockOffset + block] = quantizeBlock(x, xOffset + block * BLOCK, scale, q, qOffset + block * BLOCK);
        }
    }

    private static float scale(float[] x, int offset) {
        float amax = 0f;
        for (int i = 0; i < BLOCK; i++) {
            amax = Math.max(amax, Math.abs(x[offset + i])); // NaN wins
        }
        return amax < SMALLEST_AMAX ? 0f : amax / MAX_Q;
    }

    private static int quantizeBlock(float[] x, int xOffset, float scale, byte[] q, int qOffset) {
        float inverse = scale == 0f ? 0f : 1f / scale;
        int sum = 0;
        for (int i = 0; i < BLOCK; i++) {
            int value = (int) Functions.rint(x[xOffset + i] * inverse); // (int) NaN is 0
            q[qOffset + i] = (byte) value;
            sum += value;
        }
        return sum;
    }
}
