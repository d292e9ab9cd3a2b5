package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BlockQuantizerTests {
    private static final int BLOCK = BlockQuantizer.BLOCK;

    private final byte[] q = new byte[BLOCK];
    private final float[] d = new float[1];
    private final int[] sums = new int[1];

    @Test
    void everyValueIsWithinHalfAStepAndTheGreatestIsHit() {
        long seed = 3;
        Random random = new Random(seed);
        float[] x = new float[BLOCK];
        for (int round = 0; round < 5000; round++) {
            float magnitude = (float) Math.scalb(1.0, random.nextInt(220) - 98);
            float amax = 0f;
            for (int i = 0; i < BLOCK; i++) {
                x[i] = (random.nextFloat() - 0.5f) * magnitude;
                amax = Math.max(amax, Math.abs(x[i]));
            }
            BlockQuantizer.quantize(x, 0, BLOCK, q, 0, d, sums, 0);
            assertEquals(amax / 127f, d[0], () -> "seed " + seed);
            int sum = 0;
            int greatest = 0;
            for (int i = 0; i < BLOCK; i++) {
                assertTrue(Math.abs(x[i] - (double) q[i] * d[0]) <= 0.50001 * d[0], () -> "seed " + seed);
                sum += q[i];
                greatest = Math.max(greatest, Math.abs(q[i]));
            }
            assertEquals(sum, sums[0]);
            assertEquals(127, greatest);
        }
    }

    @Test
    void tiesGoToTheEvenQuant() {
        float[] x = new float[BLOCK];
        x[0] = 127f;
        x[1] = 0.5f;
        x[2] = 1.5f;
        x[3] = -2.5f;
        BlockQuantizer.quantize(x, 0, BLOCK, q, 0, d, sums, 0);
        assertEquals(1f, d[0]);
        assertEquals(0, q[1]);
        assertEquals(2, q[2]);
        assertEquals(-2, q[3]);
        assertEquals(127, sums[0]);
    }

    @Test
    void blocksBelowTheSmallestMagnitudeBecomeZero() {
        float[] x = new float[BLOCK];
        Arrays.fill(x, Math.nextDown(0x1p-100f));
        BlockQuantizer.quantize(x, 0, BLOCK, q, 0, d, sums, 0);
        assertEquals(0f, d[0]);
        assertEquals(0, sums[0]);
        Arrays.fill(x, -0x1p-100f);
        BlockQuantizer.quantize(x, 0, BLOCK, q, 0, d, sums, 0);
        assertEquals(0x1p-100f / 127, d[0]);
        assertEquals(-127 * BLOCK, sums[0]);
    }

    @Test
    void notFiniteValuesPoisonEveryProductWithTheBlock() {
        for (float bad : new float[] {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}) {
            float[] x = new float[BLOCK];
            Arrays.fill(x, 3f);
            x[7] = bad;
            BlockQuantizer.quantize(x, 0, BLOCK, q, 0, d, sums, 0);
            for (byte quant : q) {
                assertEquals(0, quant);
            }
            assertEquals(0, sums[0]);
            assertTrue(Float.isNaN(Math.fma(0f, 2f * d[0], 1f)));
        }
    }

    @Test
    void blocksAreWrittenAtTheirOffsets() {
        float[] x = new float[5 + 2 * BLOCK];
        Arrays.fill(x, 5, 5 + BLOCK, 127f);
        Arrays.fill(x, 5 + BLOCK, x.length, -254f);
        byte[] quants = new byte[9 + 2 * BLOCK];
        float[] scales = new float[5];
        int[] blockSums = new int[5];
        BlockQuantizer.quantize(x, 5, 2 * BLOCK, quants, 9, scales, blockSums, 2);
        assertEquals(0, quants[8]);
        assertEquals(127, quants[9]);
        assertEquals(-127, quants[9 + BLOCK]);
        assertEquals(1f, scales[2]);
        assertEquals(2f, scales[3]);
        assertEquals(-127 * BLOCK, blockSums[3]);
    }

    @Test
    void refusesPartOfABlockAndShortArrays() {
        float[] x = new float[2 * BLOCK];
        assertThrows(IllegalArgumentException.class, () -> BlockQuantizer.quantize(x, 0, 33, q, 0, d, sums, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> BlockQuantizer.quantize(x, 0, 64, q, 0, d, sums, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> BlockQuantizer.quantize(x, 40, 32, q, 0, d, sums, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> BlockQuantizer.quantize(x, 0, 32, q, 0, d, sums, 1));
    }
}
