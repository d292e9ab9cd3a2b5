package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.INTS;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.spi.numeric.BlockQuantizer;
import dev.tandem.spi.numeric.Functions;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;

/** {@link BlockQuantizer} by vectors. */
final class Rounding {
    private static final int BLOCK = BlockQuantizer.BLOCK;
    private static final int MAGNITUDE_BITS = 0x7fffffff;
    private static final int INFINITY_BITS = 0x7f800000;

    private Rounding() {}

    /** Computes the int8 form of one row. */
    static void quantize(Activations x, int row) {
        for (int block = row * x.blocks(); block < (row + 1) * x.blocks(); block++) {
            int at = block * BLOCK;
            int bits = amaxBits(x.x(), at);
            float amax = Float.intBitsToFloat(bits);
            float scale = amax < BlockQuantizer.SMALLEST_AMAX ? 0f : amax / BlockQuantizer.MAX_Q;
            x.scales()[block] = scale;
            // Where an element is not finite, all integers are 0 and the scale tells.
            float inverse = scale == 0f || bits >= INFINITY_BITS ? 0f : 1f / scale;
            short[] rounded = x.pairs(); // overwritten below
            round(x.x(), at, inverse, rounded);
            int sum = 0;
            for (int i = at; i < at + BLOCK; i++) {
                byte q = bits < INFINITY_BITS ? (byte) rounded[i] : 0;
                x.q()[i] = q;
                sum += q;
            }
            x.blockSums()[block] = sum;
        }
        x.complete(row);
    }

    /** The greatest magnitude of a block as bits: those of floats without sign are ordered as integers, NaN last. */
    private static int amaxBits(float[] x, int at) {
        IntVector most = IntVector.zero(INTS);
        for (int i = at; i < at + BLOCK; i += LANES) {
            IntVector bits = FloatVector.fromArray(FLOATS, x, i).reinterpretAsInts();
            most = most.max(bits.and(MAGNITUDE_BITS));
        }
        return most.reduceLanes(VectorOperators.MAX);
    }

    /** rounded[i] = rint(x[i] * inverse) for a block. */
    private static void round(float[] x, int at, float inverse, short[] rounded) {
        for (int i = at; i < at + BLOCK; i += LANES) {
            IntVector q = FloatVector.fromArray(FLOATS, x, i)
                    .mul(inverse)
                    .add(Functions.ROUNDER)
                    .reinterpretAsInts()
                    .sub(Functions.ROUNDER_BITS);
            ((ShortVector) q.convertShape(VectorOperators.I2S, Lanes.WORDS, 0)).intoArray(rounded, i);
        }
    }
}
