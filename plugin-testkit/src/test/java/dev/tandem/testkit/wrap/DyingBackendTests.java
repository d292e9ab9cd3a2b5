package dev.tandem.testkit.wrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.DeviceException;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import dev.tandem.testkit.oracle.OracleProvider;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The dying backend fails where it was told to, once or for ever, and counts what was left open. */
final class DyingBackendTests {
    private final MemoryModel model = new MemoryModel("empty");
    private final Graph graph = graph();
    private final Deque<AutoCloseable> handles = new ArrayDeque<>();

    private static Graph graph() {
        Graph.Builder graph = Graph.builder("append");
        graph.state(new StateSpec.Kv("kv", 1, 2, 2, DType.F32, 0));
        Value x = graph.input("x", ValueType.f32(RowSet.STEP, 2));
        graph.addAll("append", new Op.KvAppend("kv"), x, x);
        return graph.output("y", x).build();
    }

    /** Loads, compiles and runs two steps of one row, reading the output of each. */
    private float[] use(DyingBackend backend) {
        WeightSet weights = backend.load(new WeightRequest(model, List.of(graph), Precision.FAST, bytes -> {}));
        handles.push(weights);
        Executable executable = backend.compile(graph, new CompileOptions(Precision.FAST, true, 4), List.of(weights));
        handles.push(executable);
        SequenceState state = backend.newState(graph.states(), new StateOptions(8, 4));
        handles.push(state);
        float[] y = {0, 0};
        for (int step = 0; step < 2; step++) {
            state.begin(StepKind.DECODE, new int[] {-1});
            MemorySegment x = MemorySegment.ofArray(new float[] {step, 7});
            Rows row = new Rows.Host(ValueType.f32(RowSet.STEP, 2), 1, x);
            Batch batch = new Batch(
                    new int[0],
                    new int[] {step},
                    List.of(new Batch.Slice(state, 0)),
                    new int[] {0},
                    Map.of("x", row),
                    Set.of("y"));
            executable.run(batch).output("y").copyTo(0, 1, MemorySegment.ofArray(y));
            state.commit(new int[] {0});
        }
        return y;
    }

    private void closeAll() {
        while (!handles.isEmpty()) {
            AutoCloseable handle = handles.pop();
            assertDoesNotThrow(handle::close);
            assertDoesNotThrow(handle::close);
        }
    }

    @ParameterizedTest
    @EnumSource(Death.Call.class)
    void failsAtEveryCallAndLeaksNothing(Death.Call call) {
        for (boolean lost : new boolean[] {false, true}) {
            DyingBackend backend = new DyingBackend(OracleProvider.open(), new Death(call, 1, lost));
            DeviceException e = assertThrows(DeviceException.class, () -> use(backend));
            assertEquals(lost, e.lost());
            assertEquals(lost, backend.lost());
            assertEquals(1, backend.calls(call));
            assertEquals(handles.size(), backend.openHandles());
            closeAll();
            assertEquals(0, backend.openHandles());
            assertDoesNotThrow(backend::close);
        }
    }

    @Test
    void aCallThatFailedOnceSucceedsWhenRepeated() {
        DyingBackend backend = new DyingBackend(OracleProvider.open(), Death.failing(Death.Call.COMPILE, 1));
        assertThrows(DeviceException.class, () -> use(backend));
        assertArrayEquals(new float[] {1, 7}, use(backend));
        closeAll();
        assertEquals(0, backend.openHandles());
    }

    @Test
    void everyHandleOfALostDeviceThrowsButCloses() {
        DyingBackend backend = new DyingBackend(OracleProvider.open(), Death.losing(Death.Call.COMMIT, 2));
        assertThrows(DeviceException.class, () -> use(backend));
        SequenceState state = (SequenceState) handles.peekFirst();
        List<Runnable> calls = List.of(
                () -> use(backend),
                backend::memory,
                () -> backend.newState(List.of(), new StateOptions(1, 1)),
                state::committedRows,
                state::openRows,
                state::rollback,
                state::fork,
                state::exportBytes,
                state::bytesPerOpenRow,
                () -> state.truncate(0),
                () -> state.begin(StepKind.DECODE, new int[] {-1}));
        for (Runnable call : calls) {
            assertTrue(assertThrows(DeviceException.class, call::run).lost());
        }
        assertEquals("oracle", backend.device().id());
        closeAll();
        assertEquals(0, backend.openHandles());
    }

    @Test
    void aForkIsAHandleOfItsOwn() {
        DyingBackend backend = new DyingBackend(OracleProvider.open(), Death.never());
        use(backend);
        SequenceState fork = ((SequenceState) handles.getFirst()).fork();
        assertEquals(4, backend.openHandles());
        fork.close();
        assertEquals(3, backend.openHandles());
        closeAll();
    }
}
