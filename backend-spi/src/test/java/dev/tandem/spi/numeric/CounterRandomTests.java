package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CounterRandomTests {
    private static final int BUCKETS = 256;
    private static final int DRAWS = 1 << 18;

    /** Computed apart from this code, with unbounded integers. */
    @Test
    void numbersAreThoseOfTheContract() {
        assertEquals(0x238275bc38fcbe91L, CounterRandom.bits(0, 0, 0));
        assertEquals(0xd0734750fde362b3L, CounterRandom.bits(1, 2, 3));
        assertEquals(0x6e2fff15a19152e6L, CounterRandom.bits(-1, 5, -1));
        assertEquals(0.13870941014555427, CounterRandom.uniform(0, 0, 0));
        assertEquals(0.814259011529328, CounterRandom.uniform(1, 2, 3));
    }

    @Test
    void everyArgumentAloneFillsTheIntervalEvenly() {
        int[] bySeed = new int[BUCKETS];
        int[] byPosition = new int[BUCKETS];
        int[] byDraw = new int[BUCKETS];
        for (int i = 0; i < DRAWS; i++) {
            bySeed[bucket(CounterRandom.uniform(i, 17, 0))]++;
            byPosition[bucket(CounterRandom.uniform(42, i, 0))]++;
            byDraw[bucket(CounterRandom.uniform(42, 17, i))]++;
        }
        assertEven(bySeed);
        assertEven(byPosition);
        assertEven(byDraw);
    }

    private static int bucket(double u) {
        return (int) (u * BUCKETS); // out of bounds where u is not in [0, 1)
    }

    /** χ² of 255 degrees of freedom has mean 255 and deviation 22.6; numbers too even are no better. */
    private static void assertEven(int[] counts) {
        double expected = (double) DRAWS / BUCKETS;
        double chiSquare = 0;
        for (int count : counts) {
            chiSquare += (count - expected) * (count - expected) / expected;
        }
        double measured = chiSquare;
        assertTrue(chiSquare > 255 - 5 * 22.6 && chiSquare < 255 + 5 * 22.6, () -> "chi square " + measured);
    }

    @Test
    void neighboursAreUncorrelated() {
        double seeds = 0;
        double positions = 0;
        double draws = 0;
        for (int i = 0; i < DRAWS; i++) {
            double u = CounterRandom.uniform(i, i, i) - 0.5;
            seeds += u * (CounterRandom.uniform(i + 1, i, i) - 0.5);
            positions += u * (CounterRandom.uniform(i, i + 1, i) - 0.5);
            draws += u * (CounterRandom.uniform(i, i, i + 1) - 0.5);
        }
        double fiveDeviations = 5.0 / 12 / Math.sqrt(DRAWS);
        assertEquals(0, seeds / DRAWS, fiveDeviations);
        assertEquals(0, positions / DRAWS, fiveDeviations);
        assertEquals(0, draws / DRAWS, fiveDeviations);
    }

    @Test
    void streamsAreDistinct() {
        Set<Long> seen = new HashSet<>();
        int count = 0;
        for (long seed = -20; seed < 20; seed++) {
            for (long position = 0; position < 100; position++) {
                for (int draw = 0; draw < 20; draw++) {
                    seen.add(CounterRandom.bits(seed, position, draw));
                    count++;
                }
            }
        }
        assertEquals(count, seen.size());
    }
}
