package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Supplier;

/** Closing, in any order, twice, and inside a step (BE-07). */
final class CloseChecks {
    private final Supplier<Backend> open;

    CloseChecks(Supplier<Backend> open) {
        this.open = open;
    }

    /** A handle by name. */
    private record Handle(String name, AutoCloseable closeable) {
        void close(int time) {
            assertDoesNotThrow(closeable::close, "close number " + time + " of the " + name);
        }
    }

    private static List<Handle> handles(Backend backend) {
        Graph graph = Memory.graph(Memory.supported(backend, EnumSet.allOf(Memory.class)));
        WeightSet weights =
                backend.load(new WeightRequest(Memory.model(), List.of(graph), Precision.REFERENCE, bytes -> {}));
        Executable executable =
                backend.compile(graph, new CompileOptions(Precision.REFERENCE, true, 8), List.of(weights));
        SequenceState state = backend.newState(graph.states(), new StateOptions(8, 8));
        SequenceState fork = state.fork();
        state.begin(StepKind.VERIFY, new int[] {-1, -1});
        return List.of(
                new Handle("fork", fork),
                new Handle("state inside a step", state),
                new Handle("executable", executable),
                new Handle("weights", weights),
                new Handle("backend", backend));
    }

    void closeMayBeCalledTwiceInAnyOrder() {
        List<Handle> inOrder = handles(open.get());
        List<Handle> backwards = handles(open.get()).reversed();
        for (int time = 1; time <= 2; time++) {
            for (Handle handle : inOrder) {
                handle.close(time);
            }
            for (Handle handle : backwards) {
                handle.close(time);
            }
        }
    }
}
