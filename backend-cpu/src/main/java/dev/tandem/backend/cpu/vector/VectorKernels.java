package dev.tandem.backend.cpu.vector;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import jdk.incubator.vector.FloatVector;

/** Kernels by the Vector API. */
public final class VectorKernels extends ScalarKernels {
    /** The set for this processor's preferred vectors. */
    public static Kernels preferred() {
        return new VectorKernels();
    }

    @Override
    public String name() {
        return "vector " + FloatVector.SPECIES_PREFERRED.vectorBitSize() + "-bit";
    }
}
