package dev.tandem.backend.cpu.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * The one vector width of this class loader, as constants that the JIT folds, and the few conversions all kernels share.
 *
 * <p>The width is the processor's preferred one; system property {@value #WIDTH_PROPERTY} (128, 256 or 512) overrides it
 * before this class is first used.
 */
final class Lanes {
    /** Names the property that overrides the width. */
    static final String WIDTH_PROPERTY = "tandem.vector.bits";

    private static final VectorShape SHAPE = shape(Integer.getInteger(WIDTH_PROPERTY, 0));

    static final VectorSpecies<Float> FLOATS = VectorSpecies.of(float.class, SHAPE);
    static final VectorSpecies<Integer> INTS = VectorSpecies.of(int.class, SHAPE);
    static final VectorSpecies<Short> SHORTS = VectorSpecies.of(short.class, SHAPE);
    /** Shorts, as many as there are lanes of int. */
    static final VectorSpecies<Short> WORDS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(SHAPE.vectorBitSize() / 2));

    /** Lanes of float and int. */
    static final int LANES = FLOATS.length();
    /** Rows of a matrix that are packed together: two vectors of shorts, four of floats. */
    static final int GROUP = 4 * LANES;

    private Lanes() {}

    private static VectorShape shape(int bits) {
        int widest = Math.clamp(FloatVector.SPECIES_PREFERRED.vectorBitSize(), 128, 512);
        return VectorShape.forBitSize(bits == 128 || bits == 256 || bits == 512 ? bits : widest);
    }

    /** Sign-extends shorts that stand for one int vector. */
    static IntVector words(short[] data, int at) {
        return (IntVector) ShortVector.fromArray(WORDS, data, at).convertShape(VectorOperators.S2I, INTS, 0);
    }

    static FloatVector toFloat(IntVector x) {
        return (FloatVector) x.convertShape(VectorOperators.I2F, FLOATS, 0);
    }

    /** The low short of every int, signed. */
    static IntVector low(IntVector x) {
        return x.lanewise(VectorOperators.LSHL, 16).lanewise(VectorOperators.ASHR, 16);
    }

    /** The high short of every int, signed. */
    static IntVector high(IntVector x) {
        return x.lanewise(VectorOperators.ASHR, 16);
    }
}
