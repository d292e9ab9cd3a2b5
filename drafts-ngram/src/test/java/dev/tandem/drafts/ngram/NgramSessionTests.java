package dev.tandem.drafts.ngram;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The session against a search that looks at every place. */
final class NgramSessionTests {
    private static void commit(NgramSession session, int start, int... tokens) {
        session.onCommitted(new CommittedRun(Phase.DECODE, start, tokens, List.of(), new int[0]));
    }

    private static DraftProposal propose(NgramSession session, int token, int position, int depth, int nodes) {
        Shape shape = nodes > depth ? Shape.TREE : Shape.CHAIN;
        return session.propose(new ProposeRequest(token, position, shape, depth, nodes, 0));
    }

    /** Places of the longest run first, newest first; what followed, going round where it meets the current token. */
    private static List<int[]> naive(List<Integer> history, int token, int depth, int places) {
        List<Integer> all = new ArrayList<>(history);
        all.add(token);
        int size = all.size();
        List<int[]> paths = new ArrayList<>();
        Set<Integer> followed = new HashSet<>();
        for (int n = NgramSession.LONGEST; n >= NgramSession.SHORTEST; n--) {
            for (int end = size - 1; end >= n && size >= n && paths.size() < places; end--) {
                if (all.subList(end - n, end).equals(all.subList(size - n, size)) && followed.add(end)) {
                    List<Integer> going = new ArrayList<>(all);
                    int[] path = new int[depth];
                    for (int i = 0; i < depth; i++) {
                        path[i] = going.get(end + i);
                        going.add(path[i]);
                    }
                    paths.add(path);
                }
            }
        }
        return paths;
    }

    @Test
    void findsWhatALookAtEveryPlaceFinds() {
        long seed = 4711;
        SplittableRandom random = new SplittableRandom(seed);
        int guessed = 0;
        for (int round = 0; round < 30; round++) {
            int letters = 2 + random.nextInt(round < 15 ? 4 : 3000);
            NgramSession session = new NgramSession();
            List<Integer> history = new ArrayList<>();
            for (int step = 0; step < 60; step++) {
                if (random.nextInt(6) == 0) {
                    int kept = random.nextInt(history.size() + 1);
                    session.truncate(kept);
                    history.subList(kept, history.size()).clear();
                }
                int[] run = random.ints(1 + random.nextInt(40), 0, letters).toArray();
                commit(session, history.size(), run);
                Arrays.stream(run).forEach(history::add);
                int token = random.nextInt(letters);
                int depth = 1 + random.nextInt(9);
                List<int[]> expected = naive(history, token, depth, 1);
                int[] actual =
                        propose(session, token, history.size(), depth, depth).tokens();
                assertArrayEquals(
                        expected.isEmpty() ? new int[0] : expected.getFirst(),
                        actual,
                        "seed " + seed + ", round " + round + ", step " + step);
                guessed += actual.length;
            }
        }
        assertTrue(guessed > 1000, "only " + guessed + " guesses were compared");
    }

    @Test
    void aTreeHoldsThePathsOfTheNewestPlaces() {
        long seed = 99;
        SplittableRandom random = new SplittableRandom(seed);
        int branched = 0;
        for (int round = 0; round < 200; round++) {
            NgramSession session = new NgramSession();
            int[] run = random.ints(60, 0, 3).toArray();
            commit(session, 0, run);
            DraftProposal tree = propose(session, 1, 60, 4, 12);
            List<List<Integer>> paths = new ArrayList<>();
            for (int i = 0; i < tree.size(); i++) {
                List<Integer> path =
                        tree.parents()[i] < 0 ? new ArrayList<>() : new ArrayList<>(paths.get(tree.parents()[i]));
                path.add(tree.tokens()[i]);
                paths.add(path);
            }
            List<int[]> expected = naive(Arrays.stream(run).boxed().toList(), 1, 4, 3);
            for (int[] path : expected) {
                assertTrue(
                        paths.contains(Arrays.stream(path).boxed().toList()),
                        "seed " + seed + ", round " + round + ": " + Arrays.toString(path) + " in " + paths);
            }
            long leaves = paths.stream().filter(path -> path.size() == 4).count();
            assertEquals(expected.stream().map(Arrays::toString).distinct().count(), leaves);
            branched += leaves > 1 ? 1 : 0;
        }
        assertTrue(branched > 50, "only " + branched + " trees had branches");
    }

    @Test
    void aRunThatRepeatsIsGuessedBeyondItsEnd() {
        NgramSession session = new NgramSession();
        commit(session, 0, 1, 2, 3, 1, 2);
        assertArrayEquals(
                new int[] {1, 2, 3, 1, 2, 3, 1}, propose(session, 3, 5, 7, 7).tokens());
    }

    @Test
    void proposesNothingWhereNothingReturns() {
        NgramSession session = new NgramSession();
        assertEquals(0, propose(session, 5, 0, 4, 4).size());
        commit(session, 0, 1, 2, 3);
        assertEquals(0, propose(session, 4, 3, 4, 4).size());
    }

    @Test
    void refusesTokensAfterAGap() {
        NgramSession session = new NgramSession();
        commit(session, 0, 1, 2);
        assertThrows(IllegalArgumentException.class, () -> commit(session, 3, 9));
    }
}
