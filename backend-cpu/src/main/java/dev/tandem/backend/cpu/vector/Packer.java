package dev.tandem.backend.cpu.vector;

import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.IntegerBlocks;

/** Packs rows of one weight by its {@link Layout}. Not safe for use by several threads. */
final class Packer {
    private static final int GROUP = Lanes.GROUP;
    private static final int F16_EXPONENT = 0x7c00;

    private final WeightData weight;
    private final Layout layout;
    private final IntegerBlocks block;
    /** The rows of the group as they are in the file. */
    private final byte[] rows;

    private final int rowBytes;
    private boolean finite = true;

    Packer(WeightData weight, Layout layout) {
        this.weight = weight;
        this.layout = layout;
        this.block = new IntegerBlocks(weight.type());
        this.rowBytes = weight.rowBytes();
        this.rows = new byte[Math.multiplyExact(GROUP, rowBytes)];
    }

    /** Whether all scales so far were finite. */
    boolean finite() {
        return finite;
    }

    /**
     * Packs one group; rows beyond the last stay 0.
     *
     * @param firstRow of the group
     * @param data receives it
     * @param at its first short
     */
    void group(int firstRow, short[] data, int at) {
        int blocks = weight.columns() / IntegerBlocks.BLOCK;
        int count = Math.min(GROUP, weight.rows() - firstRow);
        for (int row = 0; row < count; row++) {
            weight.copy(firstRow + row, rows, row * rowBytes);
        }
        int segmentAt = at;
        for (int first = 0; first < blocks; first += Layout.SEGMENT) {
            int inSegment = Math.min(Layout.SEGMENT, blocks - first);
            int words = segmentAt + inSegment * layout.quantShorts() * GROUP;
            for (int b = 0; b < inSegment; b++) {
                for (int row = 0; row < count; row++) {
                    block.decode(rows, row * rowBytes, first + b);
                    quants(data, segmentAt + b * layout.quantShorts() * GROUP + lane(row));
                    words(data, words + row, row * rowBytes, first + b, b, inSegment);
                }
            }
            segmentAt += layout.segmentShorts(inSegment) * GROUP;
        }
    }

    /** Place of a row among the shorts of a step. */
    private static int lane(int row) {
        int pair = row / (2 * Lanes.LANES) * (2 * Lanes.LANES);
        int inPair = row - pair;
        return pair + (inPair < Lanes.LANES ? 2 * inPair : 2 * (inPair - Lanes.LANES) + 1);
    }

    private void quants(short[] data, int at) {
        byte[] q = block.q();
        if (layout.nibbles()) {
            int zero = layout.signed() ? Layout.NIBBLE_ZERO : 0;
            for (int i = 0; i < IntegerBlocks.BLOCK / 4; i++) {
                int low = (q[4 * i] + zero) | (q[4 * i + 1] + zero) << 4;
                int high = (q[4 * i + 2] + zero) | (q[4 * i + 3] + zero) << 4;
                data[at + i * GROUP] = (short) (low | high << 8);
            }
        } else {
            for (int i = 0; i < IntegerBlocks.BLOCK / 2; i++) {
                data[at + i * GROUP] = (short) (q[2 * i] + (q[2 * i + 1] << 8));
            }
        }
    }

    private void words(short[] data, int at, int base, int index, int b, int count) {
        switch (layout.scaling()) {
            case PER_BLOCK -> {
                data[at + b * GROUP] = scale(block.scale());
                if (layout.offset()) {
                    data[at + (count + b) * GROUP] = scale(block.offset());
                }
            }
            case PER_HALF -> {
                int subs = segmentScales(data, at, block.scale(), block.offset()) + b * GROUP;
                data[subs] = bytes(block.subScale(0), block.subScale(1));
                if (layout.offset()) {
                    data[subs + count * GROUP] = bytes(block.subOffset(0), block.subOffset(1));
                }
            }
            case PRODUCT -> product(data, at, base, index, b);
        }
    }

    /** Q4_K, Q5_K and IQ4_XS: the decoder has multiplied already, so the factors are read from the file's block. */
    private void product(short[] data, int at, int base, int index, int b) {
        int from = base + index / Layout.SEGMENT * weight.type().blockBytes();
        float d = Float.float16ToFloat((short) word(from));
        if (layout.type() == DType.IQ4_XS) {
            int low = unsigned(from + 4 + b / 2) >> 4 * (b % 2) & 15;
            int high = word(from + 2) >> 2 * b & 3;
            data[segmentScales(data, at, d, 0f) + b * GROUP] = bytes((low | high << 4) - 32, 0);
            return;
        }
        float m = -Float.float16ToFloat((short) word(from + 2));
        int both = unsigned(from + 8 + b);
        int sc = b < 4 ? unsigned(from + 4 + b) & 63 : (both & 15) | unsigned(from + b) >> 6 << 4;
        int min = b < 4 ? both & 63 : both >> 4 | unsigned(from + 4 + b) >> 6 << 4;
        data[segmentScales(data, at, d, m) + b * GROUP] = bytes(sc, min);
    }

    private int unsigned(int at) {
        return rows[at] & 0xff;
    }

    private int word(int at) {
        return unsigned(at) | unsigned(at + 1) << 8;
    }

    /** Writes the scales of the segment; returns where the words of its blocks begin. */
    private int segmentScales(short[] data, int at, float d, float m) {
        data[at] = scale(d);
        if (!layout.offset()) {
            return at + GROUP;
        }
        data[at + GROUP] = scale(m);
        return at + 2 * GROUP;
    }

    private static short bytes(int low, int high) {
        return (short) ((low & 0xff) | high << 8);
    }

    /** A scale as 16 bits, exactly: all come from binary16, MXFP4's are powers of two. */
    private short scale(float value) {
        if (layout.type() == DType.MXFP4) {
            return (short) (Float.floatToRawIntBits(value) >>> 16);
        }
        short half = Float.floatToFloat16(value);
        finite &= (half & F16_EXPONENT) != F16_EXPONENT;
        return half;
    }
}
