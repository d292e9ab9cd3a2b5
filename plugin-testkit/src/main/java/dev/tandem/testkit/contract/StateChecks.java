package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.testkit.contract.Harness.Part;
import dev.tandem.testkit.oracle.OracleProvider;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Sequences: steps, transactions and the portable form (BE-03, BE-04, BE-05, BE-09). */
final class StateChecks {
    private static final int[] TREE = {-1, 0, 0, 1, 2, 3, -1, 6, 5, 8, 8};
    private static final int HISTORY = 124; // the tree's rows lie on both sides of the 128th position
    private static final int PROGRAMS = 120;

    private final Backend backend;
    private final boolean keepsBits;

    StateChecks(Backend backend, boolean keepsBits) {
        this.backend = backend;
        this.keepsBits = keepsBits;
    }

    /** The parts of {@link Memory} that this backend computes, in one graph. */
    private Harness harness() {
        return harness(EnumSet.allOf(Memory.class));
    }

    private Harness harness(Set<Memory> wanted) {
        return new Harness(
                backend, Memory.graph(Memory.supported(backend, wanted)), Precision.REFERENCE, Memory.model());
    }

    private static Feed rows(Harness harness, int from, int to) {
        return Feed.of(harness.graph(), 1, new Feed.Range(from, to));
    }

    void piecesOfAPromptGiveTheSameRows() {
        int count = 140;
        try (Harness harness = harness()) {
            Feed feed = rows(harness, 0, count);
            for (int piece : new int[] {2, 7, 33, 64, 65, 130}) {
                try (SequenceState single = harness.newState();
                        SequenceState state = harness.newState()) {
                    for (int at = 0; at < count; at += piece) {
                        int rows = Math.min(piece, count - at);
                        Outputs together = harness.feed(state, feed.slice(at, rows));
                        for (int row = 0; row < rows; row++) {
                            Outputs alone = harness.feed(single, feed.pick(at + row));
                            same(alone, together.pick(row), "pieces of " + piece + ", row " + (at + row));
                        }
                    }
                    if (keepsBits) {
                        assertArrayEquals(Harness.export(single), Harness.export(state), "pieces of " + piece);
                    }
                }
            }
        }
    }

    void aRowOfATreeIsThatOfItsPathAlone() {
        try (Harness harness = harness();
                SequenceState state = harness.newState()) {
            harness.feed(state, rows(harness, 0, HISTORY));
            Feed feed = rows(harness, 200, 200 + TREE.length);
            Outputs tree = harness.step(List.of(new Part(state, StepKind.VERIFY, TREE)), feed);
            state.rollback();
            for (int row = 0; row < TREE.length; row++) {
                try (SequenceState copy = state.fork()) {
                    int[] path = path(row);
                    harness.feedOneByOne(copy, feed.pick(Arrays.copyOf(path, path.length - 1)));
                    Outputs alone = harness.feed(copy, feed.pick(row));
                    same(alone, tree.pick(row), "row " + row + " of a tree");
                }
            }
        }
    }

    private void same(Outputs expected, Outputs actual, String message) {
        if (keepsBits) {
            actual.assertBits(expected, message);
        } else {
            actual.assertClose(expected, 2e-5, message);
        }
    }

    private static int[] path(int leaf) {
        return IntStream.iterate(leaf, at -> at >= 0, at -> TREE[at])
                .sorted() // a parent's index is smaller
                .toArray();
    }

    void aRunCommitsNothing() {
        try (Harness harness = harness();
                SequenceState state = harness.newState()) {
            harness.feed(state, rows(harness, 0, 5));
            byte[] before = Harness.export(state);
            List<Part> step = List.of(new Part(state, StepKind.VERIFY, TREE));
            Feed feed = rows(harness, 200, 200 + TREE.length);
            Outputs once = harness.step(step, feed);
            assertEquals(5, state.committedRows(), "committed rows after a run");
            assertEquals(TREE.length, state.openRows(), "open rows after a run");
            harness.run(step, feed, Harness.all(TREE.length)).assertBits(once, "the same step run again");
            state.rollback();
            assertEquals(5, state.committedRows(), "committed rows after a rollback");
            assertEquals(0, state.openRows(), "open rows after a rollback");
            assertArrayEquals(before, Harness.export(state), "a rolled-back step left a trace");
            state.rollback();
            assertArrayEquals(before, Harness.export(state), "a rollback outside a step left a trace");
            harness.step(step, feed).assertBits(once, "the same step after a rollback");
        }
    }

    void everyPathLeavesWhatItsTokensWouldLeave() {
        try (Harness harness = harness();
                SequenceState state = harness.newState()) {
            harness.feed(state, rows(harness, 0, HISTORY));
            Feed feed = rows(harness, 200, 200 + TREE.length);
            for (int leaf = -1; leaf < TREE.length; leaf++) {
                try (SequenceState tree = state.fork();
                        SequenceState single = state.fork()) {
                    harness.step(List.of(new Part(tree, StepKind.VERIFY, TREE)), feed);
                    tree.commit(path(leaf));
                    harness.feedOneByOne(single, feed.pick(path(leaf)));
                    assertArrayEquals(Harness.export(single), Harness.export(tree), "the path to row " + leaf);
                }
            }
        }
    }

    void programsLeaveWhatTheirTokensWouldLeave() {
        try (Harness all = harness();
                Harness keysAndValues = harness(Memory.keysAndValues())) {
            for (int seed = 0; seed < PROGRAMS; seed++) {
                new Program(all, false, seed).run();
                new Program(keysAndValues, true, seed).run();
            }
        }
    }

    void forksAreIndependent() {
        try (Harness harness = harness();
                SequenceState state = harness.newState()) {
            harness.feed(state, rows(harness, 0, 5));
            byte[] before = Harness.export(state);
            SequenceState fork = state.fork();
            harness.feed(fork, rows(harness, 5, 8));
            byte[] longer = Harness.export(fork);
            assertArrayEquals(before, Harness.export(state), "a fork wrote into its origin");
            harness.feed(state, rows(harness, 300, 309));
            assertArrayEquals(longer, Harness.export(fork), "the origin wrote into its fork");
            byte[] origin = Harness.export(state);
            fork.truncate(0);
            fork.close();
            assertArrayEquals(origin, Harness.export(state), "closing a fork touched its origin");
        }
    }

    void exportedBytesAreThoseOfEveryDevice() {
        Set<Memory> exact = EnumSet.complementOf(EnumSet.of(Memory.DELTA));
        Backend oracle = OracleProvider.open();
        try (Harness mine = harness(exact);
                Harness judge = new Harness(oracle, mine.graph(), Precision.REFERENCE, Memory.model());
                SequenceState state = mine.newState();
                SequenceState expected = judge.newState();
                SequenceState imported = mine.newState()) {
            assertArrayEquals(Harness.export(expected), Harness.export(state), "an empty state");
            for (int rows : new int[] {2, 7, 130}) {
                mine.feed(state, rows(mine, 0, rows));
                judge.feed(expected, rows(mine, 0, rows));
                byte[] bytes = Harness.export(expected);
                assertArrayEquals(bytes, Harness.export(state), "bytes after " + rows + " more rows");
                imported.importFrom(MemorySegment.ofArray(bytes));
                assertEquals(state.committedRows(), imported.committedRows());
                assertArrayEquals(bytes, Harness.export(imported), "exported again after " + rows + " more rows");
            }
        }
        oracle.close();
    }

    /** A delta rule computes, so its bytes differ between devices that round otherwise; their order does not. */
    void anExportMayMoveToAnotherDeviceAndBack() {
        Backend oracle = OracleProvider.open();
        try (Harness mine = harness();
                Harness judge = new Harness(oracle, mine.graph(), Precision.REFERENCE, Memory.model());
                SequenceState state = mine.newState();
                SequenceState there = judge.newState();
                SequenceState back = mine.newState()) {
            mine.feed(state, rows(mine, 0, 9));
            byte[] bytes = Harness.export(state);
            there.importFrom(MemorySegment.ofArray(bytes));
            Outputs expected = judge.step(List.of(Part.chain(there, 3)), rows(mine, 9, 12));
            there.rollback();
            back.importFrom(MemorySegment.ofArray(Harness.export(there)));
            assertArrayEquals(bytes, Harness.export(back), "there and back");
            Outputs actual = mine.step(List.of(Part.chain(back, 3)), rows(mine, 9, 12));
            actual.assertClose(expected, 2e-5, "rows after a state from another device");
        }
        oracle.close();
    }
}
