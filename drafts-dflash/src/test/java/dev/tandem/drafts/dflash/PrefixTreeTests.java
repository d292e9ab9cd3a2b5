package dev.tandem.drafts.dflash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.draft.DraftProposal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The tree against a look at every beginning. */
final class PrefixTreeTests {
    private static final long SEED = 20_261_130;

    private record Beginning(List<Integer> ids, double score) {}

    private static PrefixTree.Guesses random(SplittableRandom random, int depth, int best) {
        int[] ids = new int[depth * best];
        float[] logProbs = new float[depth * best];
        for (int position = 0; position < depth; position++) {
            float logProb = 0;
            for (int rank = 0; rank < best; rank++) {
                logProb -= (float) (random.nextInt(4) == 0 ? 0 : random.nextDouble());
                ids[position * best + rank] = 100 * position + rank;
                logProbs[position * best + rank] = logProb;
            }
        }
        return new PrefixTree.Guesses(depth, best, ids, logProbs);
    }

    private static List<Beginning> all(PrefixTree.Guesses guesses) {
        List<Beginning> all = new ArrayList<>();
        List<Beginning> last = List.of(new Beginning(List.of(), 0));
        for (int position = 0; position < guesses.depth(); position++) {
            List<Beginning> longer = new ArrayList<>();
            for (Beginning beginning : last) {
                for (int rank = 0; rank < guesses.best(); rank++) {
                    List<Integer> ids = new ArrayList<>(beginning.ids);
                    ids.add(guesses.id(position, rank));
                    longer.add(new Beginning(ids, beginning.score + guesses.logProb(position, rank)));
                }
            }
            all.addAll(longer);
            last = longer;
        }
        all.sort(Comparator.comparingDouble(beginning -> -beginning.score));
        return all;
    }

    private static List<List<Integer>> paths(DraftProposal tree) {
        List<List<Integer>> paths = new ArrayList<>();
        for (int i = 0; i < tree.size(); i++) {
            int parent = tree.parents()[i];
            assertTrue(parent < i, "parents come first");
            List<Integer> path = new ArrayList<>(parent < 0 ? List.of() : paths.get(parent));
            path.add(tree.tokens()[i]);
            paths.add(path);
        }
        return paths;
    }

    @Test
    void holdsTheMostProbableBeginnings() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 300; round++) {
            PrefixTree.Guesses guesses = random(random, 1 + random.nextInt(4), 1 + random.nextInt(4));
            List<Beginning> all = all(guesses);
            int nodes = 1 + random.nextInt(all.size());
            List<List<Integer>> paths = paths(PrefixTree.mostProbable(guesses, nodes));
            String what = "seed " + SEED + ", round " + round + ", " + nodes + " nodes of " + guesses;
            assertEquals(nodes, new HashSet<>(paths).size(), what);
            double expected = all.subList(0, nodes).stream()
                    .mapToDouble(b -> Math.exp(b.score))
                    .sum();
            Set<List<Integer>> chosen = new HashSet<>(paths);
            double actual = all.stream()
                    .filter(b -> chosen.contains(b.ids))
                    .mapToDouble(b -> Math.exp(b.score))
                    .sum();
            assertEquals(expected, actual, 1e-9 * expected, what);
        }
    }

    @Test
    void aSmallerTreeIsTheBeginningOfALarger() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 50; round++) {
            PrefixTree.Guesses guesses = random(random, 5, 4);
            DraftProposal large = PrefixTree.mostProbable(guesses, 64);
            for (int nodes : new int[] {1, 4, 16, 22}) {
                DraftProposal small = PrefixTree.mostProbable(guesses, nodes);
                assertArrayEquals(Arrays.copyOf(large.tokens(), nodes), small.tokens());
                assertArrayEquals(Arrays.copyOf(large.parents(), nodes), small.parents());
            }
        }
    }

    @Test
    void equalProbabilitiesAreOrderedByDepthAndThenByRank() {
        float[] logProbs = {-1, -1, 0, -1};
        PrefixTree.Guesses guesses = new PrefixTree.Guesses(2, 2, new int[] {1, 2, 3, 4}, logProbs);
        DraftProposal tree = PrefixTree.mostProbable(guesses, 6);
        assertEquals(
                List.of(List.of(1), List.of(2), List.of(1, 3), List.of(2, 3), List.of(1, 4), List.of(2, 4)),
                paths(tree));
    }

    @Test
    void asksForNoMoreThanThereIs() {
        PrefixTree.Guesses guesses = random(new SplittableRandom(SEED), 2, 2);
        assertEquals(6, PrefixTree.mostProbable(guesses, 100).size());
        assertArrayEquals(new int[] {0, 100}, PrefixTree.chain(guesses, 2).tokens());
    }
}
