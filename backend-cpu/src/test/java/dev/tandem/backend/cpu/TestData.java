package dev.tandem.backend.cpu;

import java.util.Arrays;
import java.util.Random;

/** Seeded arrays and bit comparison. */
final class TestData {
    private TestData() {}

    static float[] random(long seed, int size) {
        Random random = new Random(seed);
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    static int[] bits(float[] values) {
        int[] bits = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            bits[i] = Float.floatToRawIntBits(values[i]);
        }
        return bits;
    }

    static float[] slice(float[] values, int from, int size) {
        return Arrays.copyOfRange(values, from, from + size);
    }
}
