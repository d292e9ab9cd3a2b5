package dev.tandem.runtime.model;

import dev.tandem.spi.graph.Op;
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
        return of(h, tensors, roundCorrectionRange, 0.0);
    }

    /**
     * The usual keys, for models that divide yarn's attention factor by one of another strength.
     *
     * @param magnitudeDivisor multiplier of the logarithm in the divisor ("mscale_all_dim"); 0 divides by nothing
     */
    static RopeSpec of(Hyperparameters h, Tensors tensors, boolean roundCorrectionRange, double magnitudeDivisor) {
        int dims = dims(h);
        Optional<WeightRef> divisors = tensors.optional("rope_freqs.weight", dims / 2);
        Scaling scaling = divisors.isPresent()
                ? new Scaling.Divisors(floats(tensors.file(), divisors.get()), 1.0)
                : scaling(h, roundCorrectionRange, magnitudeDivisor);
        return new RopeSpec(base(h, "rope.freq_base"), dims, scaling, List.of());
    }

    /**
     * Rope without scaling and with a base of its own.
     *
     * @param baseKey where the file states the base
     */
    static RopeSpec unscaled(Hyperparameters h, String baseKey) {
        return new RopeSpec(base(h, baseKey), dims(h), new Scaling.None(), List.of());
    }

    /**
     * LongRoPE (Ding et al. 2024): one tensor of divisors for contexts as trained at first, one for longer ones. Cosines
     * and sines are multiplied by what the file states, else by sqrt(1 + ln(extension) / ln(original context)).
     *
     * @param context rows of the longest sequence; the whole sequence keeps to one tensor, since keys stay rotated
     */
    static RopeSpec longRope(Hyperparameters h, Tensors tensors, int context) {
        int dims = dims(h);
        int original = originalContext(h);
        WeightRef shorter = tensors.required("rope_factors_short.weight", dims / 2);
        WeightRef longer = tensors.required("rope_factors_long.weight", dims / 2);
        double extension = StrictMath.max(1.0, (double) h.contextLength() / original);
        double attention = h.positiveReal("rope.scaling.attn_factor")
                .orElseGet(() -> StrictMath.sqrt(1 + StrictMath.log(extension) / StrictMath.log(original)));
        if (!Double.isFinite(attention)) {
            throw h.inconsistent("rope.scaling.original_context_length", original + " gives no attention factor");
        }
        List<Float> divisors = floats(tensors.file(), context > original ? longer : shorter);
        Scaling scaling = new Scaling.Divisors(divisors, attention);
        return new RopeSpec(base(h, "rope.freq_base"), dims, scaling, List.of());
    }

    /** How queries grow with their position, in the models that extend their context so. */
    static Optional<Op.ScaleByPosition> queryScale(Hyperparameters h) {
        int period = h.positive("attention.temperature_length").orElseGet(() -> originalContext(h));
        return h.positiveReal("attention.temperature_scale").map(strength -> new Op.ScaleByPosition(strength, period));
    }

    /** Whether the file's rope is LongRoPE. */
    static boolean isLong(Hyperparameters h, Tensors tensors) {
        return tensors.has("rope_factors_long.weight")
                || tensors.has("rope_factors_short.weight")
                || h.text("rope.scaling.type").filter("longrope"::equals).isPresent();
    }

    /** Positions of the training before a context extension. */
    static int originalContext(Hyperparameters h) {
        return h.positive("rope.scaling.original_context_length").orElseGet(h::contextLength);
    }

    private static int dims(Hyperparameters h) {
        int dims = h.positive("rope.dimension_count").orElseGet(h::keyDim);
        if (dims % 2 != 0 || dims > h.keyDim()) {
            throw h.inconsistent("rope.dimension_count", dims + " is odd or exceeds the head's " + h.keyDim());
        }
        return dims;
    }

    private static double base(Hyperparameters h, String key) {
        return h.positiveReal(key).orElse(DEFAULT_BASE);
    }

    private static Scaling scaling(Hyperparameters h, boolean roundCorrectionRange, double magnitudeDivisor) {
        String type = h.text("rope.scaling.type").orElse("none");
        double factor = h.positiveReal("rope.scaling.factor").orElse(1.0);
        return switch (type) {
            case "none" -> new Scaling.None();
            case "linear" -> factor == 1.0 ? new Scaling.None() : new Scaling.Linear(factor);
            case "yarn" -> yarn(h, factor, roundCorrectionRange, magnitudeDivisor);
            default ->
                throw h.inconsistent("rope.scaling.type", "'" + type + "' is not supported; none, linear and yarn are");
        };
    }

    private static Scaling yarn(
            Hyperparameters h, double factor, boolean roundCorrectionRange, double magnitudeDivisor) {
        double attention = h.positiveReal("rope.scaling.attn_factor").orElse(1.0)
                * yarnMagnitude(factor, 1.0)
                / yarnMagnitude(factor, magnitudeDivisor);
        return new Scaling.Yarn(
                factor,
                originalContext(h),
                h.positiveReal("rope.scaling.yarn_beta_fast").orElse(32.0),
                h.positiveReal("rope.scaling.yarn_beta_slow").orElse(1.0),
                attention,
                roundCorrectionRange);
    }

    /** Attention factor as the paper's section 3.4, with a multiplier of the logarithm. */
    private static double yarnMagnitude(double factor, double multiplier) {
        return factor > 1.0 ? 0.1 * multiplier * StrictMath.log(factor) + 1.0 : 1.0;
    }

    private static List<Float> floats(ModelView file, WeightRef weight) {
        TensorInfo tensor = file.tensor(weight.tensor()).orElseThrow();
        float[] values = new float[Math.toIntExact(tensor.columns())];
        Dequantizer.dequantize(tensor.type(), file.data(tensor), 0, values.length, values, 0);
        List<Float> list = new ArrayList<>();
        for (float value : values) {
            list.add(value);
        }
        return list;
    }
}
