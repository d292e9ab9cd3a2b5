package dev.tandem.gpu.weights;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Plain elements. A row is chunks of {@value #CHUNK_BYTES} bytes, each lane of 32 having V consecutive elements: element
 * j of lane p is column {@code 32 j + p} of the chunk, so lanes keep the partial sums of N2.
 */
final class FloatPacker implements Packer {
    private static final int CHUNK_BYTES = 512;
    private static final int LANES = 32;
    private static final VarHandle FLOAT = MethodHandles.byteArrayViewVarHandle(float[].class, ByteOrder.LITTLE_ENDIAN);

    private final FileRows rows;
    private final boolean wide;
    private final int perLane;

    FloatPacker(FileRows rows, MatrixForm form) {
        this.rows = rows;
        this.wide = form == MatrixForm.F32;
        this.perLane = wide ? 4 : 8;
    }

    @Override
    public int tileRows() {
        return 1;
    }

    @Override
    public int tileBytes() {
        int perChunk = LANES * perLane;
        return Math.multiplyExact((rows.columns() + perChunk - 1) / perChunk, CHUNK_BYTES);
    }

    @Override
    public void pack(int firstRow, int count, byte[] out, int at) {
        int columns = rows.columns();
        if (wide) {
            float[] row = new float[columns];
            rows.dequantize(firstRow, row, 0);
            for (int column = 0; column < columns; column++) {
                FLOAT.set(out, at + 4 * place(column), row[column]);
            }
        } else {
            byte[] row = new byte[rows.rowBytes()];
            rows.copy(firstRow, row, 0);
            for (int column = 0; column < columns; column++) {
                int place = at + 2 * place(column);
                out[place] = row[2 * column];
                out[place + 1] = row[2 * column + 1];
            }
        }
    }

    /** Index of a column in the packed row. */
    private int place(int column) {
        int perChunk = LANES * perLane;
        int inChunk = column % perChunk;
        return column - inChunk + inChunk % LANES * perLane + inChunk / LANES;
    }
}
