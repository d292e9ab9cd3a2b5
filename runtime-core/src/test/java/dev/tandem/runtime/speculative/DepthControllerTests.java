package dev.tandem.runtime.speculative;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The controller against machines and texts of stated behaviour; time is counted, not measured. */
final class DepthControllerTests {
    private static final long SEED = 20_260_707;
    private static final int MOST = 15;
    private static final double PLAIN_NANOS = 1e6;

    /**
     * A machine and a text.
     *
     * @param perRow what a further row adds to a pass, as a share of a plain one
     * @param draft what guessing costs, as a share of a plain pass
     * @param draftPerGuess the same, per guess
     * @param acceptance that a guess comes true when those before it did
     */
    private record World(double perRow, double draft, double draftPerGuess, double acceptance) {
        double nanos(int guesses) {
            double drafting = guesses == 0 ? 0 : draft + draftPerGuess * guesses;
            return PLAIN_NANOS * (1 + perRow * guesses + drafting);
        }

        /** Tokens per plain pass's time at a fixed depth. */
        double speedUp(int guesses) {
            double tokens = 1;
            for (int i = 1; i <= guesses; i++) {
                tokens += Math.pow(acceptance, i);
            }
            return tokens * PLAIN_NANOS / nanos(guesses);
        }

        double best() {
            return IntStream.rangeClosed(0, MOST)
                    .mapToDouble(this::speedUp)
                    .max()
                    .orElseThrow();
        }
    }

    private static DraftTree chain(int guesses) {
        int rows = guesses + 1;
        return new DraftTree(
                new int[rows],
                IntStream.range(-1, guesses).toArray(),
                IntStream.range(0, rows).toArray());
    }

    /** Speed-up of a controlled generation of some tokens, with 3 % noise in every time. */
    private static double controlled(World world, Acceptance acceptance, int tokens) {
        DepthController controller = new DepthController(acceptance, MOST);
        SplittableRandom random = new SplittableRandom(SEED);
        double total = 0;
        int made = 0;
        while (made < tokens) {
            int guesses = controller.next(MOST);
            double nanos = world.nanos(guesses) * (1 + 0.03 * random.nextGaussian());
            total += nanos;
            made++;
            if (guesses == 0) {
                controller.passed((long) nanos);
                continue;
            }
            int accepted = 0;
            while (accepted < guesses && random.nextDouble() < world.acceptance()) {
                accepted++;
            }
            made += accepted;
            controller.passed(chain(guesses), IntStream.rangeClosed(0, accepted).toArray(), true, (long) nanos);
        }
        return made * PLAIN_NANOS / total;
    }

    @ParameterizedTest
    @CsvSource({
        "0.01, 0.15, 0, 0.85",
        "0.01, 0.15, 0, 0.5",
        "0.12, 0, 0.1, 0.75",
        "0.05, 0.02, 0, 0.9",
        "0.3, 0.05, 0, 0.8"
    })
    void whereGuessingWinsItComesNearTheBestFixedDepth(
            double perRow, double draft, double perGuess, double acceptance) {
        World world = new World(perRow, draft, perGuess, acceptance);
        for (boolean tree : new boolean[] {false, true}) {
            double reached = controlled(world, acceptance(tree), 4000);
            assertTrue(
                    reached > 0.9 * world.best(),
                    world + ", tree " + tree + ": " + reached + " of " + world.best() + ", seed " + SEED);
        }
    }

    @ParameterizedTest
    @CsvSource({"0.45, 0.1, 0.5", "0.9, 0.05, 0.8", "0.05, 1.5, 0.3", "0.01, 0.15, 0"})
    void whereGuessingLosesItCostsNextToNothing(double perRow, double draft, double acceptance) {
        World world = new World(perRow, draft, 0, acceptance);
        assertEquals(1, world.best(), "off is best");
        for (boolean tree : new boolean[] {false, true}) {
            double reached = controlled(world, acceptance(tree), 256);
            assertTrue(reached > 0.97, world + ", tree " + tree + ": " + reached + ", seed " + SEED);
        }
    }

    private static Acceptance acceptance(boolean tree) {
        return tree ? new TreeAcceptance(MOST) : new ChainAcceptance(MOST);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noMoreIsAskedForThanThereIsRoom(boolean tree) {
        DepthController controller = new DepthController(acceptance(tree), MOST);
        World world = new World(0.01, 0.1, 0, 0.99);
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 300; round++) {
            int room = random.nextInt(6);
            int guesses = controller.next(room);
            assertTrue(guesses <= room, guesses + " of " + room);
            if (guesses == 0) {
                controller.passed((long) world.nanos(0));
            } else {
                int[] all = IntStream.rangeClosed(0, guesses).toArray();
                controller.passed(chain(guesses), all, true, (long) world.nanos(guesses));
            }
        }
        assertEquals(MOST, deepest(controller, world), "everything comes true and costs nothing");
    }

    private static int deepest(DepthController controller, World world) {
        int deepest = 0;
        for (int round = 0; round < 600; round++) {
            int guesses = controller.next(MOST);
            deepest = Math.max(deepest, guesses);
            if (guesses == 0) {
                controller.passed((long) world.nanos(0));
            } else {
                int[] all = IntStream.rangeClosed(0, guesses).toArray();
                controller.passed(chain(guesses), all, true, (long) world.nanos(guesses));
            }
        }
        return deepest;
    }
}
