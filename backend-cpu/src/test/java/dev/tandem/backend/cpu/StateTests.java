package dev.tandem.backend.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.backend.cpu.GraphRunner.Part;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Transactions of keys and values: the state always equals that of its committed rows fed one by one. */
final class StateTests {
    private static final int COLUMNS = 6;
    private static final int PROGRAMS = 60;

    private static Graph graph(DType type) {
        Graph.Builder graph = Graph.builder("append");
        Value k = graph.input("k", ValueType.f32(RowSet.STEP, COLUMNS));
        graph.state(new StateSpec.Kv("kv", 2, 3, 3, type, 0));
        graph.addAll("append", new Op.KvAppend("kv"), k, k);
        return graph.build();
    }

    private static float[] row(int token) {
        return TestData.random(token, COLUMNS);
    }

    private static void append(GraphRunner runner, SequenceState state, StepKind kind, int[] parents, int[] tokens) {
        float[] k = new float[tokens.length * COLUMNS];
        for (int i = 0; i < tokens.length; i++) {
            System.arraycopy(row(tokens[i]), 0, k, i * COLUMNS, COLUMNS);
        }
        runner.run(List.of(new Part(state, kind, parents)), Named.of("k", k));
    }

    private static byte[] fedOneByOne(GraphRunner runner, List<Integer> tokens) {
        try (SequenceState state = runner.newState()) {
            for (int token : tokens) {
                append(runner, state, StepKind.DECODE, new int[] {-1}, new int[] {token});
                state.commit(new int[] {0});
            }
            return StateBytes.of(state);
        }
    }

    /** A state beside the tokens that it must hold. */
    private record Tracked(SequenceState state, List<Integer> tokens) {}

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F16"})
    void anyProgramOfCallsLeavesWhatItsTokensWouldLeave(DType type) {
        try (GraphRunner runner = new GraphRunner(graph(type), new MemoryModel("test"), Precision.REFERENCE)) {
            for (int seed = 0; seed < PROGRAMS; seed++) {
                runProgram(runner, new Random(seed), seed);
            }
        }
    }

    private static void runProgram(GraphRunner runner, Random random, int seed) {
        List<Tracked> states = new ArrayList<>();
        states.add(new Tracked(runner.newState(), new ArrayList<>()));
        for (int call = 0; call < 25; call++) {
            Tracked chosen = states.get(random.nextInt(states.size()));
            switch (random.nextInt(7)) {
                case 0 -> prefill(runner, random, chosen);
                case 1, 2, 3 -> verify(runner, random, chosen);
                case 4 -> truncate(random, chosen);
                case 5 -> states.add(new Tracked(chosen.state().fork(), new ArrayList<>(chosen.tokens())));
                default -> states.add(new Tracked(copied(runner, chosen.state()), new ArrayList<>(chosen.tokens())));
            }
        }
        for (Tracked tracked : states) {
            assertArrayEquals(
                    fedOneByOne(runner, tracked.tokens()), StateBytes.of(tracked.state()), "program of seed " + seed);
            tracked.state().close();
        }
    }

    private static void prefill(GraphRunner runner, Random random, Tracked tracked) {
        int[] tokens = random.ints(1 + random.nextInt(70), 0, 1000).toArray();
        int[] chain = IntStream.range(-1, tokens.length - 1).toArray();
        append(runner, tracked.state(), StepKind.PREFILL, chain, tokens);
        tracked.state().commit(IntStream.range(0, tokens.length).toArray());
        IntStream.of(tokens).forEach(tracked.tokens()::add);
    }

    private static void verify(GraphRunner runner, Random random, Tracked tracked) {
        int n = 1 + random.nextInt(24);
        int[] parents = new int[n];
        for (int i = 0; i < n; i++) {
            parents[i] = random.nextInt(i + 1) - 1;
        }
        int[] tokens = random.ints(n, 0, 1000).toArray();
        append(runner, tracked.state(), StepKind.VERIFY, parents, tokens);
        if (random.nextInt(4) == 0) {
            tracked.state().rollback();
            return;
        }
        List<Integer> path = new ArrayList<>();
        for (int at = random.nextInt(n); at >= 0; at = parents[at]) {
            path.addFirst(at);
        }
        tracked.state().commit(path.stream().mapToInt(Integer::intValue).toArray());
        path.forEach(row -> tracked.tokens().add(tokens[row]));
    }

    private static void truncate(Random random, Tracked tracked) {
        int length = random.nextInt(tracked.tokens().size() + 1);
        assertEquals(length, tracked.state().truncate(length));
        tracked.tokens().subList(length, tracked.tokens().size()).clear();
    }

    private static SequenceState copied(GraphRunner runner, SequenceState state) {
        SequenceState copy = runner.newState();
        copy.importFrom(MemorySegment.ofArray(StateBytes.of(state)));
        return copy;
    }

    @Test
    void misuseIsRefusedAndChangesNothing() {
        try (GraphRunner runner = new GraphRunner(graph(DType.F32), new MemoryModel("test"), Precision.REFERENCE);
                SequenceState state = runner.newState()) {
            assertThrows(IllegalStateException.class, () -> state.commit(new int[] {0}));
            assertThrows(IllegalArgumentException.class, () -> state.begin(StepKind.VERIFY, new int[] {0}));
            assertThrows(IllegalArgumentException.class, () -> state.begin(StepKind.PREFILL, new int[] {-1, -1}));
            assertThrows(IllegalArgumentException.class, () -> state.begin(StepKind.DECODE, new int[] {-1, 0}));
            state.begin(StepKind.VERIFY, new int[] {-1, 0, 0});
            assertThrows(IllegalStateException.class, () -> state.begin(StepKind.DECODE, new int[] {-1}));
            assertThrows(IllegalArgumentException.class, () -> state.commit(new int[] {1}));
            assertThrows(IllegalArgumentException.class, () -> state.commit(new int[] {0, 1, 2}));
            assertThrows(IllegalStateException.class, state::fork);
            assertThrows(IllegalStateException.class, () -> state.truncate(0));
            state.rollback();
            state.begin(StepKind.PREFILL, new int[] {-1, 0});
            assertThrows(IllegalArgumentException.class, () -> state.commit(new int[] {0}));
            state.rollback();
            assertEquals(0, state.committedRows());
            assertThrows(IllegalArgumentException.class, () -> state.importFrom(MemorySegment.ofArray(new byte[3])));
            assertThrows(IllegalArgumentException.class, () -> state.importFrom(MemorySegment.ofArray(new byte[12])));
        }
    }

    @Test
    void moreRowsThanTheStateHoldsAreRefused() {
        try (GraphRunner runner = new GraphRunner(graph(DType.F32), new MemoryModel("test"), Precision.REFERENCE);
                SequenceState state = runner.newState()) {
            int[] tooMany = IntStream.range(-1, GraphRunner.MAX_STEP_ROWS).toArray();
            assertThrows(IllegalArgumentException.class, () -> state.begin(StepKind.PREFILL, tooMany));
            assertEquals(0, state.openRows());
        }
    }
}
