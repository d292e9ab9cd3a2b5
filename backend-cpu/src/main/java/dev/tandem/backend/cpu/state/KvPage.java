package dev.tandem.backend.cpu.state;

/**
 * Keys and values of {@value #ROWS} consecutive rows, which are one chunk of attention. Keys lie transposed,
 * {@code [head][element][row]}, so that a vector holds one element of many rows; values {@code [head][row][element]}.
 * Elements are f32, or f16 as shorts.
 */
final class KvPage {
    static final int ROWS = 128;

    final float[] keys;
    final float[] values;
    final short[] halfKeys;
    final short[] halfValues;
    int owners = 1;

    private KvPage(float[] keys, float[] values, short[] halfKeys, short[] halfValues) {
        this.keys = keys;
        this.values = values;
        this.halfKeys = halfKeys;
        this.halfValues = halfValues;
    }

    static KvPage f32(int keyColumns, int valueColumns) {
        return new KvPage(new float[keyColumns * ROWS], new float[valueColumns * ROWS], new short[0], new short[0]);
    }

    static KvPage f16(int keyColumns, int valueColumns) {
        return new KvPage(new float[0], new float[0], new short[keyColumns * ROWS], new short[valueColumns * ROWS]);
    }

    KvPage copy() {
        return new KvPage(keys.clone(), values.clone(), halfKeys.clone(), halfValues.clone());
    }
}
