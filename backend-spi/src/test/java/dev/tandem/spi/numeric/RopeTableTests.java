package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class RopeTableTests {
    private static final double FACTOR = 4;

    @Test
    void plainAnglesArePositionTimesFrequencyRoundedOnce() {
        RopeTable table = new RopeTable(spec(new Scaling.None()));
        for (int position : new int[] {0, 1, 127, 128, 129, 5000, 131_071}) {
            float[] page = table.page(position);
            int row = table.rowOffset(position);
            for (int i = 0; i < 16; i++) {
                double angle = position * (1 / StrictMath.pow(10_000, i / 16.0));
                assertEquals((float) StrictMath.cos(angle), page[row + i]);
                assertEquals((float) StrictMath.sin(angle), page[row + 16 + i]);
            }
        }
    }

    @Test
    void linearScalingDividesThePosition() {
        RopeTable plain = new RopeTable(spec(new Scaling.None()));
        RopeTable linear = new RopeTable(spec(new Scaling.Linear(FACTOR)));
        assertArrayEquals(row(plain, 25), row(linear, 100));
        assertArrayEquals(row(plain, 0), row(linear, 0));
    }

    @Test
    void divisorsSlowTheirOwnPairAndTheFactorMultiplies() {
        List<Float> divisors = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            divisors.add(i == 3 ? 8f : 1f);
        }
        RopeTable table = new RopeTable(spec(new Scaling.Divisors(divisors, 1.25)));
        double[] plain = RopeTable.frequencies(spec(new Scaling.None()));
        float[] row = row(table, 77);
        for (int i = 0; i < 16; i++) {
            double angle = 77 * (i == 3 ? plain[i] / 8 : plain[i]);
            assertEquals((float) (StrictMath.cos(angle) * 1.25), row[i]);
            assertEquals((float) (StrictMath.sin(angle) * 1.25), row[16 + i]);
        }
    }

    /** Expected values come from the published formula in another language: base 10000, 32 columns, 128 positions. */
    @Test
    void yarnInterpolatesAlongARampWithRoundedEnds() {
        double[] expected = {
            1.0,
            0.4920486595415554,
            0.23717082451262847,
            0.11114246312743267,
            0.05,
            0.021087799694638087,
            0.007905694150420948,
            0.004445698525097307,
            0.0025
        };
        double[] actual = RopeTable.frequencies(spec(new Scaling.Yarn(FACTOR, 128, 32, 1, 1.0, true)));
        assertCloseAtTheStart(expected, actual);
        assertEquals(StrictMath.pow(10_000, -15 / 16.0) / FACTOR, actual[15], 1e-19);
    }

    @Test
    void yarnInterpolatesAlongARampWithExactEnds() {
        double[] expected = {
            1.0,
            0.48179390434089403,
            0.22563747925454336,
            0.10141394814296859,
            0.04270567198866974,
            0.015960422094307404,
            0.007905694150420948
        };
        double[] actual = RopeTable.frequencies(spec(new Scaling.Yarn(FACTOR, 128, 32, 1, 1.0, false)));
        assertCloseAtTheStart(expected, actual);
    }

    private static void assertCloseAtTheStart(double[] expected, double[] actual) {
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual[i], expected[i] * 1e-14, "pair " + i);
        }
    }

    @Test
    void yarnScalesCosineAndSineByItsFactor() {
        double attention = 0.1 * Math.log(FACTOR) + 1;
        RopeSpec spec = spec(new Scaling.Yarn(FACTOR, 128, 32, 1, attention, true));
        double angle = 300 * RopeTable.frequencies(spec)[2];
        float[] row = row(new RopeTable(spec), 300);
        assertEquals((float) (StrictMath.cos(angle) * attention), row[2]);
        assertEquals((float) (StrictMath.sin(angle) * attention), row[16 + 2]);
    }

    @Test
    void aRampWhoseEndsCrossIsAStep() {
        double[] frequencies = RopeTable.frequencies(spec(new Scaling.Yarn(FACTOR, 1, 32, 1, 1.0, true)));
        double[] plain = RopeTable.frequencies(spec(new Scaling.None()));
        assertEquals(plain[0], frequencies[0]);
        assertEquals(plain[1] / FACTOR, frequencies[1]);
    }

    @Test
    void threadsThatRaceForAPageSeeOneComputation() throws Exception {
        RopeTable table = new RopeTable(spec(new Scaling.None()));
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<List<float[]>>> readers = new ArrayList<>();
            for (int reader = 0; reader < 4; reader++) {
                readers.add(threads.submit(() -> {
                    List<float[]> pages = new ArrayList<>();
                    for (int position = 0; position < 4096; position += RopeTable.PAGE_POSITIONS) {
                        pages.add(table.page(position));
                    }
                    return pages;
                }));
            }
            List<float[]> first = readers.getFirst().get();
            for (Future<List<float[]>> reader : readers) {
                for (int i = 0; i < first.size(); i++) {
                    assertSame(first.get(i), reader.get().get(i));
                }
            }
        }
        assertArrayEquals(row(new RopeTable(spec(new Scaling.None())), 4000), row(table, 4000));
    }

    @Test
    void refusesWhatHasNoRow() {
        RopeTable table = new RopeTable(spec(new Scaling.None()));
        assertThrows(IndexOutOfBoundsException.class, () -> table.page(-1));
        Scaling tooFew = new Scaling.Divisors(List.of(1f, 2f), 1.0);
        assertThrows(IllegalArgumentException.class, () -> new RopeTable(spec(tooFew)));
    }

    private static float[] row(RopeTable table, int position) {
        int start = table.rowOffset(position);
        return Arrays.copyOfRange(table.page(position), start, start + 2 * table.pairs());
    }

    private static RopeSpec spec(Scaling scaling) {
        return new RopeSpec(10_000, 32, scaling, List.of());
    }
}
