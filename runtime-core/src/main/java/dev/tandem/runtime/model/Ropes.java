package dev.tandem.runtime.model;

import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.spi.numeric.Dequantizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads what a file says about rotary embedding. */
final class Ropes {
    private static final double DEFAULT_BASE = 10_000;

    private Ropes() {}

    /**
     * The usual keys: base, dimensions, scaling {@code none}, {@code linear} or {@code yarn}, and a tensor of divisors.
     *
     * @param roundCorrectionRange how this architecture computes yarn's ramp
     */
    static RopeSpec of(Hyperparameters h, Tensors tensors, boolean roundCorrectionRange) {
        int dims = h.positive("rope.dimension_count").orElseGet(h::keyDim);
        if (dims % 2 != 0 || dims > h.keyDim()) {
            throw h.inconsistent("rope.dimension_count", dims + " is odd or exceeds the head's " + h.keyDim());
        }
        double base = h.real("rope.freq_base").filter(b -> b > 0).orElse(DEFAULT_BASE);
        Optional<WeightRef> divisors = tensors.optional("rope_freqs.weight", dims / 2);
        Scaling scaling = divisors.isPresent()
                ? new Scaling.Divisors(floats(tensors.file(), divisors.get().tensor()), 1.0)
                : scaling(h, roundCorrectionRange);
        return new RopeSpec(base, dims, scaling, List.of());
    }

    private static Scaling scaling(Hyperparameters h, boolean roundCorrectionRange) {
        String type = h.text("rope.scaling.type").orElse("none");
        double factor = h.real("rope.scaling.factor").filter(f -> f > 0).orElse(1.0);
        return switch (type) {
            case "none" -> new Scaling.None();
            case "linear" -> factor == 1.0 ? new Scaling.None() : new Scaling.Linear(factor);
            case "yarn" -> yarn(h, factor, roundCorrectionRange);
            default ->
                throw h.inconsistent("rope.scaling.type", "'" + type + "' is not supported; none, linear and yarn are");
        };
    }

    /** Attention factor as the paper's section 3.4: 0.1 ln(factor) + 1. */
    private static Scaling yarn(Hyperparameters h, double factor, boolean roundCorrectionRange) {
        int original = h.positive("rope.scaling.original_context_length").orElseGet(h::contextLength);
        double attention = h.real("rope.scaling.attn_factor").filter(f -> f > 0).orElse(1.0)
                * (factor > 1.0 ? 0.1 * StrictMath.log(factor) + 1.0 : 1.0);
        return new Scaling.Yarn(
                factor,
                original,
                h.real("rope.scaling.yarn_beta_fast").orElse(32.0),
                h.real("rope.scaling.yarn_beta_slow").orElse(1.0),
                attention,
                roundCorrectionRange);
    }

    private static List<Float> floats(ModelView file, String name) {
        TensorInfo tensor = file.tensor(name).orElseThrow();
        float[] values = new float[Math.toIntExact(tensor.columns())];
        Dequantizer.dequantize(tensor.type(), file.data(tensor), 0, values.length, values, 0);
        List<Float> list = new ArrayList<>();
        for (float value : values) {
            list.add(value);
        }
        return list;
    }

    /** One line for people. */
    static String describe(RopeSpec spec) {
        String scaling = switch (spec.scaling()) {
            case Scaling.None none -> "no scaling";
            case Scaling.Linear linear -> "linear scaling by " + linear.factor();
            case Scaling.Yarn yarn -> "yarn scaling by " + yarn.factor() + " from " + yarn.originalContext();
            case Scaling.Divisors divisors -> "a frequency divisor per pair";
        };
        return "rope: base " + spec.base() + ", " + spec.rotaryDims() + " columns per head, " + scaling;
    }
}
