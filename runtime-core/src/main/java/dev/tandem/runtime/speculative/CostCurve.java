package dev.tandem.runtime.speculative;

/**
 * Measured time of a round by number of guesses; 0 guesses is a plain pass. Between measured numbers it is interpolated,
 * beyond them it goes on as it went.
 */
final class CostCurve {
    /** A round is never shorter than it can be, and gets shorter while the virtual machine compiles. */
    private static final double DOWN_RATE = 0.5;

    private static final double UP_RATE = 0.3;
    /** But it may be longer for reasons of others who use the machine: no single one moves the mean by more. */
    private static final double LARGEST_SURPRISE = 0.25;

    private final double[] nanos;

    CostCurve(int most) {
        this.nanos = new double[most + 1];
    }

    boolean knows(int guesses) {
        return nanos[guesses] > 0;
    }

    void measured(int guesses, long time) {
        double old = nanos[guesses];
        if (old == 0) {
            nanos[guesses] = Math.max(1, time);
            return;
        }
        double surprise = time - old;
        nanos[guesses] =
                surprise < 0 ? old + DOWN_RATE * surprise : old + UP_RATE * Math.min(surprise, LARGEST_SURPRISE * old);
    }

    /** Time of a round; there must be a measurement. */
    double nanos(int guesses) {
        int below = guesses;
        while (below >= 0 && !knows(below)) {
            below--;
        }
        if (below == guesses) {
            return nanos[guesses];
        }
        int above = guesses;
        while (above < nanos.length && !knows(above)) {
            above++;
        }
        if (above == nanos.length) {
            return beyond(below, guesses);
        }
        double share = below < 0 ? 1 : (double) (guesses - below) / (above - below);
        return below < 0 ? nanos[above] : nanos[below] + share * (nanos[above] - nanos[below]);
    }

    private double beyond(int last, int guesses) {
        int before = last - 1;
        while (before >= 0 && !knows(before)) {
            before--;
        }
        double slope = before < 0 ? 0 : Math.max(0, (nanos[last] - nanos[before]) / (last - before));
        return nanos[last] + slope * (guesses - last);
    }
}
