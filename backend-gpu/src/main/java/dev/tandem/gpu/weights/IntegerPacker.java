package dev.tandem.gpu.weights;

import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.IntegerBlocks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Quantised blocks. A tile of 16 rows is a record per segment of 8 blocks: quants in the order in which matrix units
 * take them, then a word per row and block, then those of the offsets, then one per row and segment.
 */
final class IntegerPacker implements Packer {
    private static final int TILE_ROWS = 16;
    private static final int TILE_HALF = TILE_ROWS / 2;
    private static final int SEGMENT = 8;
    private static final int BLOCK = IntegerBlocks.BLOCK;
    private static final int WORDS_BYTES = 2 * TILE_ROWS * SEGMENT;
    private static final int SEGMENT_WORDS_BYTES = 4 * TILE_ROWS;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private final FileRows rows;
    private final MatrixForm form;
    private final DType type;
    private final int blocks;
    private final int quantBytes;
    private final int recordBytes;

    IntegerPacker(FileRows rows, MatrixForm form) {
        this.rows = rows;
        this.form = form;
        this.type = rows.weight().type();
        this.blocks = rows.columns() / BLOCK;
        this.quantBytes = TILE_ROWS * SEGMENT * (form.nibbles() ? BLOCK / 2 : BLOCK);
        int offsetWords = form.offsets() ? WORDS_BYTES : 0;
        int segmentWords = form.halves() || form.products() ? SEGMENT_WORDS_BYTES : 0;
        this.recordBytes = quantBytes + WORDS_BYTES + offsetWords + segmentWords;
    }

    @Override
    public int tileRows() {
        return TILE_ROWS;
    }

    @Override
    public int tileBytes() {
        return Math.multiplyExact((blocks + SEGMENT - 1) / SEGMENT, recordBytes);
    }

    @Override
    public void pack(int firstRow, int count, byte[] out, int at) {
        IntegerBlocks block = new IntegerBlocks(type);
        byte[] row = new byte[rows.rowBytes()];
        for (int i = 0; i < count; i++) {
            rows.copy(firstRow + i, row, 0);
            for (int b = 0; b < blocks; b++) {
                int record = at + b / SEGMENT * recordBytes;
                block.decode(row, 0, b);
                quants(block.q(), out, record, i, b % SEGMENT);
                words(block, row, out, record + quantBytes, i, b);
            }
        }
    }

    /** Four consecutive columns of a row lie together. */
    private void quants(byte[] q, byte[] out, int record, int i, int b) {
        if (form.nibbles()) {
            int zero = form.nibbleZero();
            int at = record + 512 * (b / 2) + 8 * (b % 2) + 4 * (i / TILE_HALF);
            for (int c = 0; c < BLOCK / 2; c += 4) {
                int word = 0;
                for (int k = 0; k < 4; k++) {
                    int pair = (q[c + k] + zero & 15) | (q[c + k + BLOCK / 2] + zero & 15) << 4;
                    word |= pair << 8 * k;
                }
                INT.set(out, at + 16 * (4 * (i % TILE_HALF) + c / 4), word);
            }
        } else {
            int at = record + 512 * b + 4 * (i / TILE_HALF);
            for (int c = 0; c < BLOCK; c += 4) {
                int word = (int) INT.get(q, c);
                INT.set(out, at + 16 * (4 * (i % TILE_HALF) + c % 16 / 4) + 8 * (c / 16), word);
            }
        }
    }

    private void words(IntegerBlocks block, byte[] row, byte[] out, int words, int i, int index) {
        int at = words + 2 * (i * SEGMENT + index % SEGMENT);
        if (form.products()) {
            product(row, out, at, words + WORDS_BYTES + 4 * i, index);
        } else if (form.halves()) {
            SHORT.set(out, at, bytes(block.subScale(0), block.subScale(1)));
            int segmentWords = words + WORDS_BYTES;
            if (form.offsets()) {
                SHORT.set(out, at + WORDS_BYTES, bytes(block.subOffset(0), block.subOffset(1)));
                segmentWords += WORDS_BYTES;
            }
            INT.set(out, segmentWords + 4 * i, scales(block.scale(), block.offset()));
        } else {
            short scale = form.bfloatScales()
                    ? (short) (Float.floatToRawIntBits(block.scale()) >>> 16)
                    : Float.floatToFloat16(block.scale());
            SHORT.set(out, at, scale);
            if (form.offsets()) {
                SHORT.set(out, at + WORDS_BYTES, Float.floatToFloat16(block.offset()));
            }
        }
    }

    /** Q4_K, Q5_K and IQ4_XS: the decoder has multiplied already, so the factors are read from the file's block. */
    private void product(byte[] row, byte[] out, int at, int segmentAt, int index) {
        int from = index / SEGMENT * type.blockBytes();
        int b = index % SEGMENT;
        float d = Float.float16ToFloat((short) word(row, from));
        if (type == DType.IQ4_XS) {
            int low = (row[from + 4 + b / 2] & 0xff) >> 4 * (b % 2) & 15;
            int high = word(row, from + 2) >> 2 * b & 3;
            SHORT.set(out, at, bytes((low | high << 4) - 32, 0));
            INT.set(out, segmentAt, scales(d, 0f));
            return;
        }
        int both = row[from + 8 + b] & 0xff;
        int scale = b < 4 ? row[from + 4 + b] & 63 : (both & 15) | (row[from + b] & 0xff) >> 6 << 4;
        int minimum = b < 4 ? both & 63 : both >> 4 | (row[from + 4 + b] & 0xff) >> 6 << 4;
        SHORT.set(out, at, bytes(scale, minimum));
        INT.set(out, segmentAt, scales(d, -Float.float16ToFloat((short) word(row, from + 2))));
    }

    private static int word(byte[] row, int at) {
        return (row[at] & 0xff) | (row[at + 1] & 0xff) << 8;
    }

    private static short bytes(int low, int high) {
        return (short) ((low & 0xff) | high << 8);
    }

    /** Scale and offset of a segment as binary16, which they were; 0 for a type without offsets. */
    private static int scales(float scale, float offset) {
        return (Float.floatToFloat16(scale) & 0xffff) | Float.floatToFloat16(offset) << 16;
    }
}
