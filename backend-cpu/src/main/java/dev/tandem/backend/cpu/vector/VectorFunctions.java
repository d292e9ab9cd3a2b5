package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;

import dev.tandem.spi.numeric.Functions;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/** {@link Functions} lane by lane: the same operations in the same order. */
final class VectorFunctions {
    private static final int SIGN_BIT = 0x80000000;

    private VectorFunctions() {}

    static FloatVector exp(FloatVector x) {
        FloatVector y = x.max(Functions.EXP_LOWEST).min(Functions.EXP_HIGHEST); // both keep NaN
        FloatVector rounded = y.fma(all(Functions.LOG2_E), all(Functions.ROUNDER));
        FloatVector n = rounded.sub(Functions.ROUNDER);
        FloatVector high = n.fma(all(-Functions.LN2_HIGH), y);
        FloatVector r = n.fma(all(-Functions.LN2_LOW), high);
        FloatVector q = r.fma(all(Functions.EXP_C6), all(Functions.EXP_C5));
        q = q.fma(r, all(Functions.EXP_C4));
        q = q.fma(r, all(Functions.EXP_C3));
        q = q.fma(r, all(Functions.EXP_C2));
        FloatVector tail = n.fma(all(-Functions.LN2_LOW), r.mul(r).mul(q));
        FloatVector sum = high.add(1f);
        FloatVector lost = all(1f).sub(sum).add(high);
        FloatVector p = sum.add(lost.add(tail));
        IntVector exponent = rounded.reinterpretAsInts().sub(Functions.ROUNDER_BITS);
        IntVector half = exponent.lanewise(VectorOperators.ASHR, 1);
        return p.mul(powerOfTwo(half)).mul(powerOfTwo(exponent.sub(half)));
    }

    private static FloatVector powerOfTwo(IntVector exponent) {
        return exponent.add(127).lanewise(VectorOperators.LSHL, 23).reinterpretAsFloats();
    }

    static FloatVector sigmoid(FloatVector x) {
        return all(1f).div(exp(x.neg()).add(1f));
    }

    static FloatVector silu(FloatVector x) {
        return x.mul(sigmoid(x));
    }

    static FloatVector tanh(FloatVector x) {
        FloatVector magnitude = x.abs();
        FloatVector square = x.mul(x);
        FloatVector p = square.fma(all(Functions.TANH_C11), all(Functions.TANH_C9));
        p = p.fma(square, all(Functions.TANH_C7));
        p = p.fma(square, all(Functions.TANH_C5));
        p = p.fma(square, all(Functions.TANH_C3));
        FloatVector near = magnitude.mul(square).fma(p, magnitude);
        FloatVector far = all(1f).sub(all(2f).div(exp(magnitude.add(magnitude)).add(1f)));
        return withSign(far.blend(near, magnitude.lt(Functions.TANH_SPLIT)), x);
    }

    private static FloatVector withSign(FloatVector magnitude, FloatVector sign) {
        return magnitude
                .reinterpretAsInts()
                .or(sign.reinterpretAsInts().and(SIGN_BIT))
                .reinterpretAsFloats();
    }

    static FloatVector geluTanh(FloatVector x) {
        FloatVector inner = x.mul(Functions.GELU_CUBIC).fma(x.mul(x), x);
        return x.mul(0.5f).mul(tanh(inner.mul(Functions.SQRT_2_OVER_PI)).add(1f));
    }

    private static FloatVector all(float value) {
        return FloatVector.broadcast(FLOATS, value);
    }
}
