package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Hosted.RESULT;
import static dev.tandem.runtime.speculative.Hosted.STEP_ROWS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.runtime.model.Recipe;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftHost.Compiled;
import dev.tandem.spi.draft.DraftHost.State;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import dev.tandem.testkit.draft.TestDrafts;
import dev.tandem.testkit.wrap.Death;
import dev.tandem.testkit.wrap.DyingBackend;
import dev.tandem.testkit.wrap.LameBackend;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the engine does for a strategy, and what it refuses. */
final class EngineHostTests {
    private static final String SLOT = "memory";

    private final MemoryModel file = Recipe.of("llama").build(1);
    private final Backend cpu = Hosted.cpu("cpu", new ScalarKernels());

    @AfterEach
    void close() {
        cpu.close();
    }

    private static Graph embedding(DraftHost host) {
        Graph.Builder graph = Graph.builder("embedding");
        return graph.output(RESULT, host.embed(graph)).build();
    }

    /** The embedding of a strategy's own file. */
    private static Graph embedding(MemoryModel own) {
        Graph.Builder graph = Graph.builder("own weights");
        Op embed =
                new Op.Embed(WeightRef.of(own, own.tensor("token_embd.weight").orElseThrow()));
        return graph.output(RESULT, graph.add("embed", embed)).build();
    }

    /** Keys and values that are the embedding; the result is capped where asked for. */
    private static Graph remembering(DraftHost host, boolean capped) {
        Graph.Builder graph = Graph.builder(capped ? "capped" : "plain");
        graph.state(slot());
        Value x = host.embed(graph);
        graph.addAll("append", new Op.KvAppend(SLOT), x, x);
        return graph.output(RESULT, capped ? graph.add("cap", new Op.SoftCap(3), x) : x)
                .build();
    }

    private static StateSpec slot() {
        return new StateSpec.Kv(SLOT, 1, Recipe.HIDDEN, Recipe.HIDDEN, DType.F32, 0);
    }

    private static int[] chain(int rows) {
        int[] parents = new int[rows];
        Arrays.setAll(parents, i -> i - 1);
        return parents;
    }

    private static String refusal(Class<? extends RuntimeException> type, Runnable call) {
        return String.valueOf(assertThrows(type, call::run).getMessage());
    }

    @Test
    void whatThePlanDoesNotUseIsRefusedByName() {
        try (Hosted without = new Hosted(file, cpu, cpu, Hosted.plan(false, true))) {
            String message = refusal(IllegalStateException.class, () -> embedding(without.host));
            assertEquals("the plan does not use the target's embedding", message);
        }
        try (Hosted without = new Hosted(file, cpu, cpu, Hosted.plan(true, false))) {
            Graph.Builder graph = Graph.builder("head");
            Value x = without.host.embed(graph);
            String message = refusal(IllegalStateException.class, () -> without.host.logits(graph, x));
            assertEquals("the plan does not use the target's output head", message);
        }
    }

    @Test
    void aStrategyThatUsesMoreThanItPlannedIsNamed() {
        TestDrafts greedy = new TestDrafts("greedy", Shape.CHAIN, 4) {
            @Override
            public DraftModel open(DraftQuery query, DraftHost host) {
                host.embed(Graph.builder("unplanned"));
                return super.open(query, host);
            }

            @Override
            protected DraftProposal guess(ProposeRequest request) {
                return DraftProposal.NONE;
            }
        };
        try (Speculating s = new Speculating("llama")) {
            String message = refusal(PluginException.class, () -> s.open(greedy).close());
            assertTrue(message.contains("greedy") && message.contains("target's embedding"), message);
        }
    }

    @Test
    void callsAfterTheHostWasClosedFail() {
        try (Hosted hosted = new Hosted(file, cpu, cpu)) {
            Graph graph = remembering(hosted.host, false);
            Compiled compiled = hosted.host.compile(graph, List.of(), STEP_ROWS);
            State state = hosted.host.newState(graph.states(), 32, STEP_ROWS);
            hosted.host.close();
            Map<String, Runnable> calls = Map.of(
                    "compile", () -> hosted.host.compile(graph, List.of(), STEP_ROWS),
                    "newState", () -> hosted.host.newState(graph.states(), 32, STEP_ROWS),
                    "run", () -> compiled.run(Hosted.run(state)),
                    "begin", () -> state.begin(StepKind.DECODE, chain(1)),
                    "commit", () -> state.commit(new int[] {0}),
                    "rollback", state::rollback,
                    "truncate", () -> state.truncate(0));
            calls.forEach((name, call) ->
                    assertEquals("the strategy was closed", refusal(IllegalStateException.class, call), name));
            compiled.close();
            state.close();
            hosted.host.close();
        }
    }

    @Test
    void callsToWhatTheStrategyClosedFail() {
        try (Hosted hosted = new Hosted(file, cpu, cpu)) {
            Graph graph = remembering(hosted.host, false);
            Compiled compiled = hosted.host.compile(graph, List.of(), STEP_ROWS);
            State state = hosted.host.newState(graph.states(), 32, STEP_ROWS);
            State other = hosted.host.newState(graph.states(), 32, STEP_ROWS);
            other.close();
            other.close();
            List<Runnable> calls = List.of(
                    () -> compiled.run(Hosted.run(other)),
                    () -> other.begin(StepKind.DECODE, chain(1)),
                    () -> other.commit(new int[] {0}),
                    other::rollback,
                    () -> other.truncate(0));
            for (Runnable call : calls) {
                String message = refusal(IllegalStateException.class, call);
                assertTrue(message.startsWith("the state was closed"), message);
            }
            compiled.close();
            compiled.close();
            state.begin(StepKind.PREFILL, chain(Hosted.TOKENS.length));
            String message = refusal(IllegalStateException.class, () -> compiled.run(Hosted.run(state)));
            assertTrue(message.startsWith("the graph was closed"), message);
        }
    }

    @Test
    void anotherStrategysStateIsRefused() {
        try (Hosted hosted = new Hosted(file, cpu, cpu);
                Hosted other = new Hosted(file, cpu, cpu)) {
            Compiled compiled = hosted.host.compile(embedding(hosted.host), List.of(), STEP_ROWS);
            other.host.compile(embedding(other.host), List.of(), STEP_ROWS);
            State foreign = other.host.newState(List.of(), 32, STEP_ROWS);
            foreign.begin(StepKind.PREFILL, chain(Hosted.TOKENS.length));
            String message = refusal(IllegalStateException.class, () -> compiled.run(Hosted.run(foreign)));
            assertTrue(message.contains("another strategy's"), message);
        }
    }

    @Test
    void aGraphWhoseSlotIsOnAnotherBackendIsRefused() {
        Backend small = LameBackend.withoutOp(Hosted.cpu("small", new ScalarKernels()), Op.SoftCap.class);
        try (Hosted hosted = new Hosted(file, small, cpu)) {
            hosted.host.compile(remembering(hosted.host, false), List.of(), STEP_ROWS);
            String message = refusal(
                    IllegalArgumentException.class,
                    () -> hosted.host.compile(remembering(hosted.host, true), List.of(), STEP_ROWS));
            assertEquals("slot memory is on small, but graph capped runs on cpu", message);
            String unknown = refusal(
                    IllegalArgumentException.class,
                    () -> hosted.host.newState(List.of(new StateSpec.ConvWindow("other", 3, 4)), 32, STEP_ROWS));
            assertEquals("no compiled graph has slot other", unknown);
        } finally {
            small.close();
        }
    }

    @Test
    void oneStateServesGraphsOnBothBackends() {
        Backend small = LameBackend.withoutOp(Hosted.cpu("small", new ScalarKernels()), Op.Embed.class);
        try (Hosted hosted = new Hosted(file, small, cpu)) {
            Graph.Builder doubling = Graph.builder("doubling");
            Value x = doubling.input(
                    "x", hosted.host.embed(Graph.builder("type only")).type());
            Graph second = doubling.output(RESULT, doubling.add("twice", new Op.Scale(2), x))
                    .build();
            Compiled onCpu = hosted.host.compile(embedding(hosted.host), List.of(), STEP_ROWS);
            Compiled onSmall = hosted.host.compile(second, List.of(), STEP_ROWS);
            State state = hosted.host.newState(List.of(), 32, STEP_ROWS);
            state.begin(StepKind.PREFILL, chain(Hosted.TOKENS.length));
            Step embedded = onCpu.run(Hosted.run(state));
            DraftHost.Run run = Hosted.run(state);
            Step doubled = onSmall.run(new DraftHost.Run(
                    state,
                    new int[0],
                    run.positions(),
                    run.selected(),
                    Map.of("x", embedded.output(RESULT)),
                    run.outputs()));
            int[] once = Hosted.bits(embedded);
            int[] twice = Hosted.bits(doubled);
            assertEquals(2 * Float.intBitsToFloat(once[1]), Float.intBitsToFloat(twice[1]));
            state.commit(new int[] {0, 1, 2, 3, 4});
            assertEquals(2, state.truncate(2));
        } finally {
            small.close();
        }
    }

    @Test
    void everythingThatAStrategyLeftOpenIsFreed() {
        DyingBackend counting = new DyingBackend(cpu, Death.never());
        Hosted hosted = new Hosted(file, counting, counting);
        int ofTheModel = counting.openHandles();
        MemoryModel own = Recipe.of("llama").build(2);
        Graph graph = remembering(hosted.host, false);
        hosted.host.compile(graph, List.of(), STEP_ROWS);
        hosted.host.compile(graph, List.of(), STEP_ROWS).close();
        Compiled loaded = hosted.host.compile(embedding(own), List.of(own), STEP_ROWS);
        hosted.host.newState(graph.states(), 32, STEP_ROWS);
        State closed = hosted.host.newState(graph.states(), 32, STEP_ROWS);
        closed.close();
        assertEquals(ofTheModel + 4, counting.openHandles(), "two graphs, one file's weights, one state");
        hosted.bits(loaded);
        hosted.host.close();
        assertEquals(ofTheModel, counting.openHandles(), "after the host was closed");
        hosted.close();
        assertEquals(0, counting.openHandles(), "after the model was closed");
    }

    @ParameterizedTest
    @EnumSource(
            value = Death.Call.class,
            names = {"LOAD", "COMPILE", "NEW_STATE"})
    void whatFailsHalfwayLeavesNothing(Death.Call call) {
        DyingBackend dying = new DyingBackend(cpu, Death.failing(call, call == Death.Call.LOAD ? 2 : 1));
        try (Hosted hosted = new Hosted(file, dying, dying)) {
            int before = dying.openHandles();
            MemoryModel own = Recipe.of("llama").build(2);
            Graph graph = embedding(own);
            assertThrows(DeviceException.class, () -> hosted.bits(hosted.host.compile(graph, List.of(own), STEP_ROWS)));
            hosted.host.close();
            assertEquals(before, dying.openHandles(), call.name());
        }
    }

    /** The fault of a strategy's thread that does not return while the lane is held, for twice its deadline. */
    private static Optional<String> fault(Hosted hosted, Runnable call) {
        Duration deadline = Duration.ofMillis(700);
        DraftThread thread = new DraftThread("waiting", deadline);
        hosted.lane.lock();
        try {
            thread.post("propose", call);
            while (!hosted.lane.hasQueuedThreads()) {
                Thread.onSpinWait();
            }
            long since = System.nanoTime();
            thread.ask("settle", () -> true, () -> System.nanoTime() - since > 2 * deadline.toNanos());
        } finally {
            hosted.lane.unlock();
        }
        thread.ask("settle", () -> true, () -> false);
        thread.quit("close", () -> {});
        return thread.fault();
    }

    private static void waitOutside(ReentrantLock lane) {
        lane.lock();
        try {
            assertTrue(lane.isHeldByCurrentThread());
        } finally {
            lane.unlock();
        }
    }

    @Test
    void timeInsideTheEngineIsNotTheStrategys() {
        try (Hosted hosted = new Hosted(file, cpu, cpu)) {
            Graph graph = embedding(hosted.host);
            Runnable compiling =
                    () -> hosted.host.compile(graph, List.of(), STEP_ROWS).close();
            assertEquals(Optional.empty(), fault(hosted, compiling));
            assertEquals(
                    Optional.of("propose did not return within 700 ms"), fault(hosted, () -> waitOutside(hosted.lane)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEmbeddingIsTheTargets(boolean refused) {
        Backend chosen = refused ? LameBackend.withoutOp(cpu, Op.Embed.class) : cpu;
        try (Hosted hosted = new Hosted(file, chosen, cpu)) {
            int[] bits = hosted.bits(hosted.host.compile(embedding(hosted.host), List.of(), STEP_ROWS));
            float[] table = new float[Recipe.VOCABULARY * Recipe.HIDDEN];
            MemorySegment.copy(
                    file.data(file.tensor("token_embd.weight").orElseThrow()),
                    ValueLayout.JAVA_FLOAT_UNALIGNED,
                    0,
                    table,
                    0,
                    table.length);
            int[] expected = new int[bits.length];
            Arrays.setAll(
                    expected,
                    i -> Float.floatToRawIntBits(
                            table[Hosted.TOKENS[i / Recipe.HIDDEN] * Recipe.HIDDEN + i % Recipe.HIDDEN]));
            assertArrayEquals(expected, bits);
        }
    }
}
