package dev.tandem.backend.cpu.kernel;

/** Reusable memory of one worker; grows and never shrinks. */
public final class Scratch {
    private float[] row = {};
    private float[] keys = {};
    private float[] values = {};
    private float[] accumulators = {};
    private final float[] scores = new float[Kernels.CHUNK];

    /** Room for a dequantised row of a weight. */
    public float[] row(int size) {
        return row = grown(row, size);
    }

    /** Room for the keys of a chunk. */
    public float[] keys(int size) {
        return keys = grown(keys, size);
    }

    /** Room for the values of a chunk. */
    public float[] values(int size) {
        return values = grown(values, size);
    }

    /** Room for the running results of attention. */
    public float[] accumulators(int size) {
        return accumulators = grown(accumulators, size);
    }

    /** Room for the scores of a chunk. */
    public float[] scores() {
        return scores;
    }

    private static float[] grown(float[] array, int size) {
        return array.length >= size ? array : new float[size];
    }
}
