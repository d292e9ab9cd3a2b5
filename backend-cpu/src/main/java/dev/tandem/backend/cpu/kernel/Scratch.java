package dev.tandem.backend.cpu.kernel;

/** Reusable memory of one worker; grows and never shrinks. */
public final class Scratch {
    private byte[] bytes = {};
    private float[] row = {};
    private float[] keys = {};
    private float[] values = {};
    private float[] accumulators = {};
    private float[] sums = {};
    private short[] shorts = {};
    private float[] totals = {};
    private float[] tile = {};
    private final float[] scores = new float[2 * Kernels.CHUNK];

    /** Room for a row of a weight as it is in the file. */
    public byte[] bytes(int size) {
        if (bytes.length < size) {
            bytes = new byte[size];
        }
        return bytes;
    }

    /** Room for a dequantised row of a weight. */
    public float[] row(int size) {
        row = grown(row, size);
        return row;
    }

    /** Room for the keys of a chunk. */
    public float[] keys(int size) {
        keys = grown(keys, size);
        return keys;
    }

    /** Room for the values of a chunk. */
    public float[] values(int size) {
        values = grown(values, size);
        return values;
    }

    /** Room for the running results of attention. */
    public float[] accumulators(int size) {
        accumulators = grown(accumulators, size);
        return accumulators;
    }

    /** Room for sums of blocks. */
    public float[] sums(int size) {
        sums = grown(sums, size);
        return sums;
    }

    /** Room for sums of blocks that are not complete. */
    public short[] shorts(int size) {
        if (shorts.length < size) {
            shorts = new short[size];
        }
        return shorts;
    }

    /** Room for the running results of a matrix. */
    public float[] totals(int size) {
        totals = grown(totals, size);
        return totals;
    }

    /** Room for widened weights. */
    public float[] tile(int size) {
        tile = grown(tile, size);
        return tile;
    }

    /** Room for the scores of two queries with a chunk. */
    public float[] scores() {
        return scores;
    }

    private static float[] grown(float[] array, int size) {
        return array.length >= size ? array : new float[size];
    }
}
