package dev.tandem.spi.numeric;

import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cosines and sines of rotary position embedding, computed page by page when first asked for.
 *
 * <p>All arithmetic is f64 with {@link StrictMath}; the last step rounds once to f32:
 *
 * <pre>
 *   freq(i)     = 1 / base^(2 i / rotaryDims), then scaled (below)
 *   cos(p, i)   = (float) (cos(p · freq(i)) · attentionFactor)       sin alike
 *   Linear      angle = (p / factor) · freq(i)
 *   Yarn        freq'(i) = (freq(i) / factor) · ramp + freq(i) · (1 − ramp), {@link YarnRamp}
 *   Divisors    freq'(i) = freq(i) / divisor(i)
 * </pre>
 *
 * A row holds the cosines of all pairs, then their sines. For rope over several position axes each axis reads the row of
 * its own position, and a pair takes the entry of its axis. Thread-safe; a page never changes once it can be seen.
 */
public final class RopeTable {
    /** Positions of one page. */
    public static final int PAGE_POSITIONS = 128;

    private final int pairs;
    private final double positionDivisor;
    private final double attentionFactor;
    private final double[] frequencies;
    private volatile float[] @Nullable [] pages = new float[0] @Nullable [];

    /**
     * An empty table.
     *
     * @param spec base, scaling and number of columns
     * @throws IllegalArgumentException where the spec lists another number of divisors than there are pairs
     */
    public RopeTable(RopeSpec spec) {
        this.pairs = spec.rotaryDims() / 2;
        this.positionDivisor = spec.scaling() instanceof Scaling.Linear linear ? linear.factor() : 1.0;
        this.attentionFactor = switch (spec.scaling()) {
            case Scaling.Yarn yarn -> yarn.attentionFactor();
            case Scaling.Divisors divisors -> divisors.attentionFactor();
            case Scaling.None _, Scaling.Linear _ -> 1.0;
        };
        this.frequencies = frequencies(spec);
    }

    /**
     * Angle per position of every pair, with the scaling but without Linear's divisor, which belongs to the position.
     *
     * @param spec base, scaling and number of columns
     * @return one frequency per pair, in radians per position
     * @throws IllegalArgumentException where the spec lists another number of divisors than there are pairs
     */
    public static double[] frequencies(RopeSpec spec) {
        double[] frequencies = new double[spec.rotaryDims() / 2];
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] = 1.0 / StrictMath.pow(spec.base(), 2.0 * i / spec.rotaryDims());
        }
        switch (spec.scaling()) {
            case Scaling.Yarn yarn -> YarnRamp.of(spec, yarn).apply(frequencies, yarn.factor());
            case Scaling.Divisors divisors -> divide(frequencies, divisors);
            case Scaling.None _, Scaling.Linear _ -> {}
        }
        return frequencies;
    }

    private static void divide(double[] frequencies, Scaling.Divisors scaling) {
        if (scaling.divisors().size() != frequencies.length) {
            throw new IllegalArgumentException("rope has " + frequencies.length + " pairs but "
                    + scaling.divisors().size() + " frequency divisors");
        }
        for (int i = 0; i < frequencies.length; i++) {
            frequencies[i] /= scaling.divisors().get(i);
        }
    }

    /**
     * Pairs of columns that turn.
     *
     * @return half of the spec's rotary columns
     */
    public int pairs() {
        return pairs;
    }

    /**
     * The page that holds a position's row, for reading in place.
     *
     * @param position from 0
     * @return rows of {@link #PAGE_POSITIONS} positions; not to be written
     * @throws IndexOutOfBoundsException where the position is negative
     */
    public float[] page(int position) {
        if (position < 0) {
            throw new IndexOutOfBoundsException("rope position " + position);
        }
        int index = position / PAGE_POSITIONS;
        float[] @Nullable [] known = pages;
        float[] page = index < known.length ? known[index] : null;
        return page != null ? page : addPage(index);
    }

    /**
     * Where a position's row starts in its page: {@link #pairs()} cosines, then as many sines.
     *
     * @param position from 0
     * @return offset in the array of {@link #page}
     */
    public int rowOffset(int position) {
        return position % PAGE_POSITIONS * 2 * pairs;
    }

    private synchronized float[] addPage(int index) {
        float[] @Nullable [] known = pages;
        float[] present = index < known.length ? known[index] : null;
        if (present != null) {
            return present;
        }
        float[] added = computePage(index);
        float[] @Nullable [] grown = Arrays.copyOf(known, Math.max(known.length, index + 1));
        grown[index] = added;
        pages = grown;
        return added;
    }

    private float[] computePage(int index) {
        float[] page = new float[PAGE_POSITIONS * 2 * pairs];
        for (int i = 0; i < PAGE_POSITIONS; i++) {
            double position = ((double) index * PAGE_POSITIONS + i) / positionDivisor;
            int row = i * 2 * pairs;
            for (int pair = 0; pair < pairs; pair++) {
                double angle = position * frequencies[pair];
                page[row + pair] = (float) (StrictMath.cos(angle) * attentionFactor);
                page[row + pairs + pair] = (float) (StrictMath.sin(angle) * attentionFactor);
            }
        }
        return page;
    }
}
