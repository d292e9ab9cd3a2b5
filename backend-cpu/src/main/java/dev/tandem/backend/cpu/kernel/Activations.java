package dev.tandem.backend.cpu.kernel;

import dev.tandem.spi.numeric.BlockQuantizer;

/**
 * Rows of one value, and, for integer dots, their int8 form: per block of 32 one scale, 32 integers and the sum of each
 * half. Rows are quantised once per step and shared by all matrices that read them.
 */
public final class Activations {
    /** Elements in a block. */
    public static final int BLOCK = 32;
    /** Rows whose f32 form lies interleaved. */
    public static final int TILE = 4;

    private final int columns;
    private float[] x = {};
    private byte[] q = {};
    private float[] scales = {};
    private int[] blockSums = {};
    private int[] halfSums = {};
    private short[] pairs = {};
    private short[] quads = {};
    private boolean tiled;
    private float[] tiles = {};
    private float[] tileScales = {};

    /**
     * Activations without rows.
     *
     * @param columns of a row
     */
    public Activations(int columns) {
        this.columns = columns;
    }

    /** Elements of a row. */
    public int columns() {
        return columns;
    }

    /** The f32 rows; row r starts at {@code r * columns}. */
    public float[] x() {
        return x;
    }

    /** The int8 rows; row r starts at {@code r * columns}. */
    public byte[] q() {
        return q;
    }

    /** Scales; those of row r start at {@code r * blocks()}. */
    public float[] scales() {
        return scales;
    }

    /** Sums of q over blocks; those of row r start at {@code r * blocks()}. */
    public int[] blockSums() {
        return blockSums;
    }

    /** Sums of q over half blocks of 16; those of row r start at {@code 2 * r * blocks()}. */
    public int[] halfSums() {
        return halfSums;
    }

    /**
     * The int8 rows for weights packed as {@code w0 + 256 * w1} in a short: an odd element has 256 times its left
     * neighbour taken off, modulo 2^16, which undoes what {@code w1} adds to the product of the even one.
     */
    public short[] pairs() {
        return pairs;
    }

    /** The int8 rows for weights packed as four nibbles in a short: all but every fourth have 16 times their left
     * neighbour taken off. */
    public short[] quads() {
        return quads;
    }

    /**
     * The int8 rows as f32, for several rows together: element k of row r is at
     * {@code (r / TILE * columns + k) * TILE + r % TILE}. Filled where room was made for more rows than one; what stands
     * for rows beyond the last means nothing.
     */
    public float[] tiles() {
        return tiles;
    }

    /** Scales beside {@link #tiles()}: that of block b of row r is at {@code (r / TILE * blocks + b) * TILE + r % TILE}. */
    public float[] tileScales() {
        return tileScales;
    }

    /** Blocks in a row. */
    public int blocks() {
        return columns / BLOCK;
    }

    /** Points to f32 rows, which stay the caller's. */
    public void of(float[] rows) {
        x = rows;
    }

    /** Makes room for the int8 form of some rows. */
    public void reserve(int rows) {
        if (q.length < rows * columns) {
            q = new byte[rows * columns];
            scales = new float[rows * blocks()];
            blockSums = new int[rows * blocks()];
            halfSums = new int[2 * rows * blocks()];
            pairs = new short[rows * columns];
            quads = new short[rows * columns];
        }
        tiled = rows > 1;
        int whole = (rows + TILE - 1) / TILE * TILE;
        if (tiled && tiles.length < whole * columns) {
            tiles = new float[whole * columns];
            tileScales = new float[whole * blocks()];
        }
    }

    /** Computes the int8 form of one row by the contract's rule. */
    public void quantize(int row) {
        int first = row * blocks();
        BlockQuantizer.quantize(x, row * columns, columns, q, row * columns, scales, blockSums, first);
        complete(row);
    }

    /** Computes what else belongs to the int8 form of one row from its integers and their sums. */
    public void complete(int row) {
        int first = row * blocks();
        for (int block = first; block < first + blocks(); block++) {
            int firstHalf = 0;
            for (int i = block * BLOCK; i < block * BLOCK + BLOCK / 2; i++) {
                firstHalf += q[i];
            }
            halfSums[2 * block] = firstHalf;
            halfSums[2 * block + 1] = blockSums[block] - firstHalf;
        }
        int end = (row + 1) * columns;
        for (int i = row * columns; i < end; i += 4) {
            pairs[i] = q[i];
            pairs[i + 1] = (short) (q[i + 1] - (q[i] << 8));
            pairs[i + 2] = q[i + 2];
            pairs[i + 3] = (short) (q[i + 3] - (q[i + 2] << 8));
            quads[i] = q[i];
            quads[i + 1] = (short) (q[i + 1] - (q[i] << 4));
            quads[i + 2] = (short) (q[i + 2] - (q[i + 1] << 4));
            quads[i + 3] = (short) (q[i + 3] - (q[i + 2] << 4));
        }
        if (tiled) {
            interleave(row);
        }
    }

    private void interleave(int row) {
        int to = row / TILE * TILE * columns + row % TILE;
        for (int i = 0; i < columns; i++) {
            tiles[to + i * TILE] = q[row * columns + i];
        }
        int scaleTo = row / TILE * TILE * blocks() + row % TILE;
        for (int i = 0; i < blocks(); i++) {
            tileScales[scaleTo + i * TILE] = scales[row * blocks() + i];
        }
    }
}
