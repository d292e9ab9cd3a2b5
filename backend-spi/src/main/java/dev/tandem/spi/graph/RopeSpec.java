package dev.tandem.spi.graph;

import java.util.List;

/**
 * Everything that fixes a table of rotation angles; which columns form a pair is the op's.
 *
 * <p>Pair i of {@code rotaryDims / 2} turns by {@code position * base^(-2 i / rotaryDims)}, changed by the scaling.
 *
 * @param base frequency base, such as 10000
 * @param rotaryDims columns of a head that are rotated, even
 * @param scaling how the angle is changed for contexts beyond those trained
 * @param sections pairs per position axis for multi-axis rope; empty for one axis
 */
public record RopeSpec(double base, int rotaryDims, Scaling scaling, List<Integer> sections) {
    /** Copies the sections and checks sizes. */
    public RopeSpec {
        sections = List.copyOf(sections);
        if (!(base > 0) || rotaryDims < 2 || rotaryDims % 2 != 0) {
            throw new IllegalArgumentException("rope of base " + base + " over " + rotaryDims + " columns");
        }
    }

    /** How angles are changed for long contexts. */
    public sealed interface Scaling {
        /** Not at all. */
        record None() implements Scaling {}

        /**
         * Positions are divided.
         *
         * @param factor the divisor
         */
        record Linear(double factor) implements Scaling {}

        /**
         * YaRN (Peng et al. 2023): high frequencies stay, low ones are interpolated, with a ramp between.
         *
         * @param factor context extension
         * @param originalContext context length of the training
         * @param betaFast rotations above which a pair is left alone
         * @param betaSlow rotations below which a pair is fully interpolated
         * @param attentionFactor multiplier of cosine and sine
         * @param roundCorrectionRange whether the ramp's ends are rounded outwards to whole pairs
         */
        record Yarn(
                double factor,
                int originalContext,
                double betaFast,
                double betaSlow,
                double attentionFactor,
                boolean roundCorrectionRange)
                implements Scaling {}

        /**
         * Each pair's frequency has its own divisor.
         *
         * @param divisors one per pair
         * @param attentionFactor multiplier of cosine and sine
         */
        record Divisors(List<Float> divisors, double attentionFactor) implements Scaling {
            /** Copies the list. */
            public Divisors {
                divisors = List.copyOf(divisors);
            }
        }
    }
}
