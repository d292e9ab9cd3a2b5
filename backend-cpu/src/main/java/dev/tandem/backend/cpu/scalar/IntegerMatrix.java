package dev.tandem.backend.cpu.scalar;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.spi.numeric.IntegerBlocks;

/** Integer dots of FAST, straight from the mapped blocks: exact sums per block, segments of 8 blocks (N2). */
final class IntegerMatrix implements Matrix {
    private static final int BLOCK = Activations.BLOCK;
    private static final int SEGMENT = 8;

    private final WeightData weight;
    private final boolean offset;

    IntegerMatrix(WeightData weight) {
        this.weight = weight;
        this.offset = IntegerBlocks.hasOffset(weight.type());
    }

    @Override
    public int rows() {
        return weight.rows();
    }

    @Override
    public int columns() {
        return weight.columns();
    }

    @Override
    public boolean integer() {
        return true;
    }

    @Override
    public void multiply(
            Activations x,
            int first,
            int count,
            float[] y,
            int yOffset,
            int yStride,
            int from,
            int to,
            Scratch scratch) {
        IntegerBlocks blocks = new IntegerBlocks(weight.type());
        float[] segment = scratch.row(2 * count);
        byte[] row = scratch.bytes(weight.rowBytes());
        for (int o = from; o < to; o++) {
            weight.copy(o, row, 0);
            for (int r = 0; r < count; r++) {
                segment[count + r] = 0f;
            }
            for (int b = 0; b < x.blocks(); b++) {
                blocks.decode(row, 0, b);
                for (int r = 0; r < count; r++) {
                    float acc = b % SEGMENT == 0 ? 0f : segment[r];
                    segment[r] = addBlock(blocks, x, (first + r) * x.blocks() + b, acc);
                    if (b % SEGMENT == SEGMENT - 1 || b == x.blocks() - 1) {
                        segment[count + r] += segment[r];
                    }
                }
            }
            for (int r = 0; r < count; r++) {
                y[yOffset + r * yStride + o] = segment[count + r];
            }
        }
    }

    private float addBlock(IntegerBlocks w, Activations x, int block, float acc) {
        int at = block * BLOCK;
        int sum = w.subScale(0) * dot(w.q(), 0, x.q(), at) + w.subScale(1) * dot(w.q(), 16, x.q(), at + 16);
        float result = Math.fma((float) sum, w.scale() * x.scales()[block], acc);
        if (offset) {
            int sums = w.subOffset(0) * x.halfSums()[2 * block] + w.subOffset(1) * x.halfSums()[2 * block + 1];
            result = Math.fma((float) sums, w.offset() * x.scales()[block], result);
        }
        return result;
    }

    private static int dot(byte[] a, int ao, byte[] b, int bo) {
        int sum = 0;
        for (int i = 0; i < 16; i++) {
            sum += a[ao + i] * b[bo + i];
        }
        return sum;
    }
}
