package dev.tandem.runtime.synthetic;

import dev.tandem.runtime.gguf.GgufWriter;
import dev.tandem.spi.model.DType;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random data of one tensor, the same for the same seed: blocks of random integers with scales that give the weights a
 * standard deviation of about 1 / sqrt(columns), so that activations keep their size from layer to layer.
 */
final class RandomWeights implements GgufWriter.Data {
    private static final int BATCH_BLOCKS = 4096;
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private final DType type;
    private final long blocks;
    private final float deviation;
    private final long seed;

    /**
     * Data of a matrix.
     *
     * @param type one of those that {@link Mixture} names
     * @param elements of the tensor
     * @param columns of the matrix
     * @param seed of the random numbers
     */
    RandomWeights(DType type, long elements, int columns, long seed) {
        this.type = type;
        this.blocks = elements / type.blockElements();
        this.deviation = (float) (1 / Math.sqrt(columns));
        this.seed = seed;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int size = type.blockBytes();
        byte[] batch = new byte[BATCH_BLOCKS * size];
        for (long done = 0; done < blocks; done += BATCH_BLOCKS) {
            int count = (int) Math.min(BATCH_BLOCKS, blocks - done);
            random.nextBytes(batch);
            for (int block = 0; block < count; block++) {
                scale(batch, block * size);
            }
            out.write(batch, 0, count * size);
        }
    }

    /** Replaces what must not be random in a block; the comments give the deviation of its integers. */
    private void scale(byte[] batch, int at) {
        switch (type) {
            // 73.9 for all bytes
            case Q8_0 -> SHORT.set(batch, at, half(deviation / 73.9f));
            // 4.6 for nibbles less 8
            case Q4_0 -> SHORT.set(batch, at, half(deviation / 4.6f));
            case Q4_K -> {
                // 4.6 for nibbles; every sub-block has scale and minimum 33, of which 7.5 are the nibbles' mean
                SHORT.set(batch, at, half(deviation / 4.6f / 33));
                SHORT.set(batch, at + 2, half(deviation / 4.6f / 33 * 7.5f));
                // The low six bits of bytes 0 to 7 serve sub-blocks 0 to 3; their high two bits and the nibbles of
                // bytes 8 to 11 the others: 33 = 2 * 16 + 1.
                Arrays.fill(batch, at + 4, at + 12, (byte) (33 | 2 << 6));
                Arrays.fill(batch, at + 12, at + 16, (byte) 0x11);
            }
            case Q6_K -> {
                // 18.5 for six bits less 32
                Arrays.fill(batch, at + 192, at + 208, (byte) 33);
                SHORT.set(batch, at + 208, half(deviation / 18.5f / 33));
            }
            // A random sign and mantissa of 7 bits, so between 1 and 2 times the power of two below the deviation.
            case F16 -> SHORT.set(batch, at, (short) ((short) SHORT.get(batch, at) & 0x83ff | half(power()) & 0x7c00));
            case BF16 ->
                SHORT.set(batch, at, (short)
                        ((short) SHORT.get(batch, at) & 0x807f | Float.floatToRawIntBits(power()) >>> 16 & 0x7f80));
            default -> throw new IllegalArgumentException("no random weights of type " + type);
        }
    }

    private float power() {
        return Float.intBitsToFloat(Float.floatToRawIntBits(deviation) & 0x7f800000);
    }

    private static short half(float value) {
        return Float.floatToFloat16(value);
    }
}
