package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.FLOATS;
import static dev.tandem.backend.cpu.vector.Lanes.LANES;

import dev.tandem.spi.graph.Activation;
import jdk.incubator.vector.FloatVector;

/**
 * Element-wise loops over whole vectors. Each returns how many elements it did; the scalar twin does the rest, fewer than
 * a vector.
 */
final class Elements {
    private Elements() {}

    static int add(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            at(a, ao + i).add(at(b, bo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int multiply(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            at(a, ao + i).mul(at(b, bo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int scale(float[] x, int xo, float factor, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            at(x, xo + i).mul(factor).intoArray(y, yo + i);
        }
        return whole;
    }

    /** y = (x * factor) * g. */
    static int scaleAndMultiply(float[] x, int xo, float factor, float[] g, int go, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            at(x, xo + i).mul(factor).mul(at(g, go + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int divide(float[] x, int xo, float divisor, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            at(x, xo + i).div(divisor).intoArray(y, yo + i);
        }
        return whole;
    }

    static int softCap(float[] x, int xo, float cap, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            VectorFunctions.tanh(at(x, xo + i).div(cap)).mul(cap).intoArray(y, yo + i);
        }
        return whole;
    }

    static int silu(float[] x, int xo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            VectorFunctions.silu(at(x, xo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int sigmoid(float[] x, int xo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            VectorFunctions.sigmoid(at(x, xo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int geluTanh(float[] x, int xo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            VectorFunctions.geluTanh(at(x, xo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int activate(Activation activation, float[] x, int xo, float[] y, int yo, int n) {
        return switch (activation) {
            case SILU -> silu(x, xo, y, yo, n);
            case SIGMOID -> sigmoid(x, xo, y, yo, n);
            case GELU_TANH -> geluTanh(x, xo, y, yo, n);
            case GELU_ERF -> 0;
        };
    }

    /** y = silu(a) * b, the gate of most models. */
    static int siluGate(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            VectorFunctions.silu(at(a, ao + i)).mul(at(b, bo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    /** y = geluTanh(a) * b. */
    static int geluTanhGate(float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            VectorFunctions.geluTanh(at(a, ao + i)).mul(at(b, bo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int clampedGate(float alpha, float limit, float[] a, int ao, float[] b, int bo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector g = at(a, ao + i).min(limit);
            FloatVector u = at(b, bo + i).min(limit).max(-limit);
            g.mul(VectorFunctions.sigmoid(g.mul(alpha))).mul(u.add(1f)).intoArray(y, yo + i);
        }
        return whole;
    }

    /** Rotates pairs (i, i + pairs). */
    static int ropeHalves(float[] x, int xo, float[] table, int cosAt, int pairs) {
        int whole = FLOATS.loopBound(pairs);
        for (int i = 0; i < whole; i += LANES) {
            FloatVector cos = at(table, cosAt + i);
            FloatVector sin = at(table, cosAt + pairs + i);
            FloatVector x0 = at(x, xo + i);
            FloatVector x1 = at(x, xo + pairs + i);
            x0.fma(cos, x1.mul(sin).neg()).intoArray(x, xo + i);
            x1.fma(cos, x0.mul(sin)).intoArray(x, xo + pairs + i);
        }
        return whole;
    }

    static int join(float[] o, int oo, float a, float[] p, int po, float b, int n) {
        int whole = FLOATS.loopBound(n);
        FloatVector factor = FloatVector.broadcast(FLOATS, a);
        for (int i = 0; i < whole; i += LANES) {
            at(o, oo + i).fma(factor, at(p, po + i).mul(b)).intoArray(o, oo + i);
        }
        return whole;
    }

    static int accumulate(float w, float[] x, int xo, float[] y, int yo, int n) {
        int whole = FLOATS.loopBound(n);
        FloatVector factor = FloatVector.broadcast(FLOATS, w);
        for (int i = 0; i < whole; i += LANES) {
            factor.fma(at(x, xo + i), at(y, yo + i)).intoArray(y, yo + i);
        }
        return whole;
    }

    static int exp(float[] s, int so, float maximum, int n) {
        int whole = FLOATS.loopBound(n);
        for (int i = 0; i < whole; i += LANES) {
            VectorFunctions.exp(at(s, so + i).sub(maximum)).intoArray(s, so + i);
        }
        return whole;
    }

    private static FloatVector at(float[] x, int i) {
        return FloatVector.fromArray(FLOATS, x, i);
    }
}
