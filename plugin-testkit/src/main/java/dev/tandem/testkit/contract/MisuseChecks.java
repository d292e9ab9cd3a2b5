package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.testkit.contract.Harness.Part;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Calls that must fail, and what they must leave alone (BE-08, BE-10). */
final class MisuseChecks {
    private static final int ROWS = 5;
    private static final int[] TREE = {-1, 0, 0};

    private final Backend backend;

    MisuseChecks(Backend backend) {
        this.backend = backend;
    }

    private Harness harness() {
        Set<Memory> parts = Memory.supported(backend, EnumSet.allOf(Memory.class));
        return new Harness(backend, Memory.graph(parts), Precision.REFERENCE, Memory.model());
    }

    private static Feed rows(Harness harness, int from, int to) {
        return Feed.of(harness.graph(), 1, new Feed.Range(from, to));
    }

    private static void refused(Class<? extends RuntimeException> type, String call, Runnable misuse) {
        assertThrows(type, misuse::run, call);
    }

    void misuseOfAStateIsRefused() {
        try (Harness harness = harness();
                SequenceState state = harness.newState()) {
            harness.feed(state, rows(harness, 0, ROWS));
            outsideAStep(state);
            refused(IllegalArgumentException.class, "a byte too few", () -> state.importFrom(other(harness, -1)));
            refused(IllegalArgumentException.class, "a byte too many", () -> state.importFrom(other(harness, 1)));
            state.begin(StepKind.VERIFY, TREE);
            insideATree(state);
            state.rollback();
            state.begin(StepKind.PREFILL, new int[] {-1, 0});
            refused(IllegalArgumentException.class, "part of a prefill", () -> state.commit(new int[] {0}));
            state.rollback();
            assertEquals(ROWS, state.committedRows(), "committed rows after refused calls");
            assertEquals(0, state.openRows(), "open rows after refused calls");
        }
    }

    private static void outsideAStep(SequenceState state) {
        Class<IllegalArgumentException> argument = IllegalArgumentException.class;
        refused(IllegalStateException.class, "commit outside a step", () -> state.commit(new int[] {0}));
        refused(argument, "a row as its own parent", () -> state.begin(StepKind.VERIFY, new int[] {0}));
        refused(argument, "a later parent", () -> state.begin(StepKind.VERIFY, new int[] {-1, 2, 0}));
        refused(argument, "a parent below -1", () -> state.begin(StepKind.VERIFY, new int[] {-2}));
        refused(argument, "a prefill that is a tree", () -> state.begin(StepKind.PREFILL, new int[] {-1, -1}));
        refused(argument, "a decode of two rows", () -> state.begin(StepKind.DECODE, new int[] {-1, 0}));
        refused(argument, "a negative length", () -> state.truncate(-1));
        refused(argument, "no bytes", () -> state.importFrom(MemorySegment.ofArray(new byte[0])));
        refused(argument, "other bytes", () -> state.importFrom(MemorySegment.ofArray(new byte[64])));
    }

    private static void insideATree(SequenceState state) {
        Class<IllegalStateException> inside = IllegalStateException.class;
        refused(inside, "begin in a step", () -> state.begin(StepKind.DECODE, new int[] {-1}));
        refused(inside, "fork in a step", () -> state.fork().close());
        refused(inside, "truncate in a step", () -> state.truncate(0));
        refused(inside, "import in a step", () -> state.importFrom(MemorySegment.ofArray(new byte[64])));
        refused(inside, "export in a step", () -> Harness.export(state));
        Class<IllegalArgumentException> noPath = IllegalArgumentException.class;
        refused(noPath, "a path from the middle", () -> state.commit(new int[] {1}));
        refused(noPath, "a path with siblings", () -> state.commit(new int[] {0, 1, 2}));
        refused(noPath, "a row beyond the step", () -> state.commit(new int[] {0, 3}));
        refused(noPath, "a row below the step", () -> state.commit(new int[] {-1}));
    }

    void onlyOutputsAskedForAreAnswered() {
        try (Harness harness = harness();
                SequenceState state = harness.newState()) {
            List<Part> step = List.of(Part.chain(state, 2));
            Harness.open(step);
            Set<String> names = harness.graph().outputs().keySet();
            for (String name : names) {
                Step asked = harness.ask(step, rows(harness, 0, 2), Set.of(name));
                asked.output(name);
                for (String other : names) {
                    if (!other.equals(name)) {
                        refused(IllegalArgumentException.class, "output " + other, () -> asked.output(other));
                    }
                }
            }
            Step nothing = harness.ask(step, rows(harness, 0, 2), Set.of());
            refused(IllegalArgumentException.class, "an unknown output", () -> nothing.output("no such output"));
            state.commit(new int[] {0, 1});
            try (SequenceState single = harness.newState()) {
                harness.feed(single, rows(harness, 0, 2));
                assertArrayEquals(Harness.export(single), Harness.export(state), "rows run without outputs");
            }
        }
    }

    void aFailedCallLeavesCommittedRowsIntact() {
        try (Harness harness = harness();
                SequenceState state = harness.newState()) {
            harness.feed(state, rows(harness, 0, ROWS));
            byte[] before = Harness.export(state);
            Map<String, Runnable> failures = Map.of(
                    "a step that is no tree", () -> state.begin(StepKind.VERIFY, new int[] {0}),
                    "more rows than a step holds", () -> tooMany(state, Harness.MAX_STEP_ROWS + 1),
                    "more rows than the state holds", () -> fill(harness, state),
                    "bytes of another state", () -> importOneSlotMore(harness, state),
                    "bytes cut short",
                            () -> state.importFrom(MemorySegment.ofArray(before).asSlice(0, 13)),
                    "a run without its inputs", () -> runWithoutInputs(harness, state),
                    "a path that is none", () -> commitNoPath(harness, state));
            failures.forEach((name, call) -> {
                assertThrows(RuntimeException.class, call::run, name);
                state.rollback();
                assertEquals(0, state.openRows(), "open rows after " + name);
                assertArrayEquals(before, Harness.export(state), "committed rows after " + name);
            });
            try (SequenceState single = harness.newState()) {
                harness.feed(single, rows(harness, 0, ROWS));
                Outputs expected = harness.step(List.of(Part.chain(single, 2)), rows(harness, 9, 11));
                harness.step(List.of(Part.chain(state, 2)), rows(harness, 9, 11))
                        .assertBits(expected, "rows after failed calls");
            }
        }
    }

    private static void tooMany(SequenceState state, int rows) {
        state.begin(StepKind.PREFILL, Part.parents(rows));
    }

    /** Fills a copy to the last row and asks for one more. */
    private static void fill(Harness harness, SequenceState state) {
        try (SequenceState copy = state.fork()) {
            while (copy.committedRows() < Harness.MAX_ROWS) {
                int from = copy.committedRows();
                int rows = Math.min(Harness.MAX_STEP_ROWS, Harness.MAX_ROWS - from);
                harness.feed(copy, rows(harness, from, from + rows));
            }
            tooMany(copy, 1);
        }
    }

    /** The form of another sequence, with some bytes more or fewer. */
    private static MemorySegment other(Harness harness, int more) {
        try (SequenceState other = harness.newState()) {
            harness.feed(other, rows(harness, 30, 33));
            byte[] bytes = Harness.export(other);
            return MemorySegment.ofArray(Arrays.copyOf(bytes, bytes.length + more));
        }
    }

    private static void importOneSlotMore(Harness harness, SequenceState state) {
        MemorySegment bytes = other(harness, 0);
        bytes.set(ValueLayout.JAVA_BYTE, 4, (byte) (bytes.get(ValueLayout.JAVA_BYTE, 4) + 1));
        state.importFrom(bytes);
    }

    private static void runWithoutInputs(Harness harness, SequenceState state) {
        List<Part> step = List.of(Part.chain(state, 2));
        Harness.open(step);
        harness.run(step, new Feed(new int[2], Map.of()), 0, 1);
    }

    private static void commitNoPath(Harness harness, SequenceState state) {
        harness.step(List.of(new Part(state, StepKind.VERIFY, TREE)), rows(harness, 20, 23));
        state.commit(new int[] {2});
    }
}
