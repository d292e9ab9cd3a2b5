package dev.tandem.testkit.oracle;

/**
 * Rows of a value or a weight: f32 or i32, one of the two arrays being empty.
 *
 * @param rows number of rows
 * @param columns elements of a row
 * @param floats row-major, or empty
 * @param ints row-major, or empty
 */
record Table(int rows, int columns, float[] floats, int[] ints) {
    static Table floats(int rows, int columns) {
        return new Table(rows, columns, new float[Math.multiplyExact(rows, columns)], new int[0]);
    }

    static Table ints(int rows, int columns) {
        return new Table(rows, columns, new float[0], new int[Math.multiplyExact(rows, columns)]);
    }

    double at(int row, int column) {
        return floats[row * columns + column];
    }

    /** Rounds once, to f32. */
    void set(int row, int column, double value) {
        floats[row * columns + column] = (float) value;
    }
}
