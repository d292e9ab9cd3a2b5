package dev.tandem.testkit.oracle;

import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;

/** Functions of real numbers in float64. */
final class Reals {
    private static final double ERF_HIGHEST = 6;

    private Reals() {}

    static double activate(Activation activation, double x) {
        return switch (activation) {
            case SILU -> x * sigmoid(x);
            case GELU_TANH -> 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));
            case GELU_ERF -> 0.5 * x * (1 + erf(x / Math.sqrt(2)));
            case SIGMOID -> sigmoid(x);
        };
    }

    static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    static double softplus(double x) {
        return Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
    }

    static double clampedGate(Op.ClampedGate gate, double a, double b) {
        double g = Math.min(a, gate.limit());
        double u = Math.max(-gate.limit(), Math.min(b, gate.limit()));
        return g * sigmoid(gate.alpha() * g) * (u + 1);
    }

    /** The error function by its series of positive terms: 2 / sqrt(pi) exp(-x^2) sum of 2^n x^(2n+1) / (2n+1)!!. */
    static double erf(double x) {
        double magnitude = Math.abs(x);
        if (magnitude > ERF_HIGHEST) {
            return Math.signum(x);
        }
        double term = magnitude;
        double sum = 0;
        for (int n = 0; term > sum * 1e-17; n++) {
            sum += term;
            term *= 2 * magnitude * magnitude / (2 * n + 3);
        }
        return Math.copySign(2 / Math.sqrt(Math.PI) * Math.exp(-magnitude * magnitude) * sum, x);
    }
}
