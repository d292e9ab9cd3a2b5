package dev.tandem.spi.numeric;

import dev.tandem.spi.graph.Op;

/** Factors of {@link Op.ScaleByPosition}, the same on every device. */
public final class PositionScale {
    private PositionScale() {}

    /**
     * The factor of a position: 1 + strength · ln(1 + ⌊position / period⌋) in f64 by {@link StrictMath}, rounded once.
     *
     * @param scale strength and period
     * @param position from 0
     * @return 1 below the first period
     */
    public static float factor(Op.ScaleByPosition scale, int position) {
        int periods = position / scale.period();
        return (float) (1 + scale.strength() * StrictMath.log(1.0 + periods));
    }
}
