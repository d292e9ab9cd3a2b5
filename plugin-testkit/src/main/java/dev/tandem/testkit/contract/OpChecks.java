package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.InferenceException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.Support;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.testkit.contract.Harness.Part;
import dev.tandem.testkit.oracle.OracleProvider;
import java.util.ArrayList;
import java.util.List;

/** What a backend says that it computes, and whether it does (BE-02, BE-03). */
final class OpChecks {
    private static final int ROWS = 7;
    private static final int MOST_ROWS = 65;

    private final Backend backend;
    private final boolean keepsBits;

    OpChecks(Backend backend, boolean keepsBits) {
        this.backend = backend;
        this.keepsBits = keepsBits;
    }

    private List<OpCase> accepted(Precision precision) {
        return OpCase.all().stream()
                .filter(c -> c.supportedBy(backend, precision))
                .toList();
    }

    /** The same node has the same answer, whatever was loaded between. */
    void answersDoNotChange() {
        List<OpCase> cases = OpCase.all();
        for (Precision precision : Precision.values()) {
            List<Support> before = answers(cases, precision);
            cases.stream()
                    .filter(c -> c.supportedBy(backend, precision))
                    .limit(3)
                    .forEach(c -> new Harness(backend, c.graph(), precision, c.model()).close());
            assertEquals(before, answers(cases, precision), precision + ": supports changed its mind");
        }
    }

    private List<Support> answers(List<OpCase> cases, Precision precision) {
        return cases.stream().map(c -> backend.supports(c.node(), precision)).toList();
    }

    void whatIsAcceptedRuns() {
        for (Precision precision : Precision.values()) {
            for (OpCase c : accepted(precision)) {
                try (Harness harness = new Harness(backend, c.graph(), precision, c.model());
                        SequenceState state = harness.newState()) {
                    Outputs outputs = harness.feed(state, feed(c, 0, 1));
                    assertEquals(c.graph().outputs().keySet(), outputs.rows().keySet(), c.name());
                } catch (RuntimeException e) {
                    throw new AssertionError(c.name() + " in " + precision + " is accepted and then fails", e);
                }
            }
        }
    }

    void whatIsRefusedIsRefusedCleanly() {
        List<OpCase> cases = new ArrayList<>(OpCase.all());
        cases.addAll(WeightCases.unreadable());
        for (Precision precision : Precision.values()) {
            for (OpCase c : cases) {
                Node node = c.node();
                if (backend.supports(node, precision) instanceof Support.No no) {
                    assertFalse(no.reason().isBlank(), c.name() + " is refused without a reason");
                    assertThrows(
                            RuntimeException.class, () -> runOnce(c, precision), c.name() + " was refused, yet it ran");
                    assertTrue(refusesCleanly(c, precision), c.name() + ": refused, then fails like a fault");
                }
            }
        }
    }

    private void runOnce(OpCase c, Precision precision) {
        try (Harness harness = new Harness(backend, c.graph(), precision, c.model());
                SequenceState state = harness.newState()) {
            harness.step(List.of(Part.chain(state, 1)), feed(c, 0, 1));
        }
    }

    private boolean refusesCleanly(OpCase c, Precision precision) {
        try {
            runOnce(c, precision);
            return false;
        } catch (InferenceException | IllegalArgumentException | UnsupportedOperationException e) {
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** The cases in both precisions where that can matter, in FAST where it cannot. */
    private List<OpCase> distinct(Precision precision) {
        return accepted(precision).stream()
                .filter(c -> precision == Precision.FAST || c.multipliesMatrices())
                .toList();
    }

    private static Feed feed(OpCase c, int from, int to) {
        return Feed.of(c.graph(), c.idBound(), new Feed.Range(from, to));
    }

    void agreesWithTheOracle() {
        Backend oracle = OracleProvider.open();
        for (Precision precision : Precision.values()) {
            for (OpCase c : accepted(precision)) {
                Outputs expected = afterHistory(oracle, c, precision);
                Outputs actual = afterHistory(backend, c, precision);
                actual.assertClose(expected, c.tolerance(), c.name() + " in " + precision);
            }
        }
        oracle.close();
    }

    /** Outputs of some rows after others, as a step of its own. */
    private static Outputs afterHistory(Backend backend, OpCase c, Precision precision) {
        try (Harness harness = new Harness(backend, c.graph(), precision, c.model());
                SequenceState state = harness.newState()) {
            harness.feed(state, feed(c, 0, c.history()));
            return harness.step(List.of(Part.chain(state, ROWS)), feed(c, c.history(), c.history() + ROWS));
        }
    }

    void rowsDoNotDependOnTheirNumber() {
        for (Precision precision : Precision.values()) {
            for (OpCase c : distinct(precision)) {
                if (!c.seesLaterRows()) {
                    rowsDoNotDependOnTheirNumber(c, precision);
                }
            }
        }
    }

    private void rowsDoNotDependOnTheirNumber(OpCase c, Precision precision) {
        try (Harness harness = new Harness(backend, c.graph(), precision, c.model())) {
            Outputs most = alone(harness, feed(c, 0, MOST_ROWS));
            for (int count : new int[] {1, 2, 7, 33, 64}) {
                Outputs fewer = alone(harness, feed(c, 0, count));
                same(most.first(count), fewer, c, precision + ", " + count + " rows");
            }
            boolean anywhere =
                    c.graph().states().isEmpty() && !readsPosition(c.node().op());
            if (anywhere) {
                for (int row : new int[] {13, MOST_ROWS - 1}) {
                    Outputs single = alone(harness, feed(c, row, row + 1));
                    same(most.pick(row), single, c, precision + ", row " + row + " alone");
                }
            }
        }
    }

    private static Outputs alone(Harness harness, Feed feed) {
        try (SequenceState state = harness.newState()) {
            return harness.step(List.of(Part.chain(state, feed.rows())), feed);
        }
    }

    void rowsDoNotDependOnOtherSequences() {
        for (Precision precision : Precision.values()) {
            for (OpCase c : distinct(precision)) {
                rowsDoNotDependOnOtherSequences(c, precision);
            }
        }
    }

    private void rowsDoNotDependOnOtherSequences(OpCase c, Precision precision) {
        try (Harness harness = new Harness(backend, c.graph(), precision, c.model());
                SequenceState first = harness.newState();
                SequenceState second = harness.newState()) {
            harness.feed(first, feed(c, 300, 305));
            harness.feed(second, feed(c, 400, 402));
            Part three = Part.chain(first, 3);
            Part five = Part.chain(second, 5);
            Feed rows = feed(c, 0, 8);
            Outputs both = harness.step(List.of(three, five), rows);
            first.rollback();
            second.rollback();
            Outputs left = harness.step(List.of(three), rows.slice(0, 3));
            same(both.pick(0, 1, 2), left, c, precision + ", the first of two sequences");
            Outputs right = harness.step(List.of(five), rows.slice(3, 5));
            same(both.pick(3, 4, 5, 6, 7), right, c, precision + ", the second of two sequences");
        }
    }

    void rowsDoNotDependOnTheSelection() {
        for (Precision precision : Precision.values()) {
            for (OpCase c : distinct(precision)) {
                boolean wholeSteps = c.graph().inputs().values().stream()
                        .allMatch(value -> value.type().rows() == RowSet.STEP);
                boolean selects = c.node().op() instanceof Op.SelectRows;
                if (wholeSteps && (selects || c.graph().states().isEmpty())) {
                    rowsDoNotDependOnTheSelection(c, precision);
                }
            }
        }
    }

    private void rowsDoNotDependOnTheSelection(OpCase c, Precision precision) {
        try (Harness harness = new Harness(backend, c.graph(), precision, c.model());
                SequenceState state = harness.newState()) {
            List<Part> parts = List.of(Part.chain(state, ROWS));
            Outputs all = harness.step(parts, feed(c, 0, ROWS));
            for (int[] selected : new int[][] {{}, {0}, {6}, {1, 4, 6}}) {
                Outputs some = harness.run(parts, feed(c, 0, ROWS), selected);
                Outputs expected = c.node().op() instanceof Op.SelectRows ? all.pick(selected) : all;
                same(expected, some, c, precision + ", " + selected.length + " rows selected");
            }
        }
    }

    private void same(Outputs expected, Outputs actual, OpCase c, String where) {
        String message = c.name() + " in " + where;
        if (keepsBits) {
            actual.assertBits(expected, message);
        } else {
            actual.assertClose(expected, 2 * c.tolerance(), message);
        }
    }

    private static boolean readsPosition(Op op) {
        return op instanceof Op.Rope || op instanceof Op.ScaleByPosition;
    }
}
