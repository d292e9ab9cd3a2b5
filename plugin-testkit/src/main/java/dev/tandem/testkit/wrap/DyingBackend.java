package dev.tandem.testkit.wrap;

import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.model.ModelId;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Fails at one chosen call. A call that fails did nothing. Once the device is lost, this backend and every handle of it
 * throw at each call but {@code close}; only {@link #device()} and {@code supports}, which ask no device, still answer.
 */
public final class DyingBackend extends WrappingBackend {
    private final Death death;
    private final Map<Death.Call, Integer> calls = new EnumMap<>(Death.Call.class);
    private int openHandles;
    private boolean lost;

    /**
     * A backend that will fail.
     *
     * @param inner does the work
     * @param death when
     */
    public DyingBackend(Backend inner, Death death) {
        super(inner);
        this.death = death;
    }

    /**
     * Weights, executables and states that were made and not closed.
     *
     * @return 0 where nothing leaks
     */
    public int openHandles() {
        return openHandles;
    }

    /**
     * Whether the device is gone.
     *
     * @return true from the fatal call on
     */
    public boolean lost() {
        return lost;
    }

    /**
     * Calls so far.
     *
     * @param call the kind of call
     * @return how many, the failed one included
     */
    public int calls(Death.Call call) {
        return calls.getOrDefault(call, 0);
    }

    private void strike(Death.Call call) {
        alive(call.name());
        int number = calls.merge(call, 1, Integer::sum);
        if (call == death.call() && number == death.number()) {
            lost = death.lost();
            throw failure(call.name() + " number " + number);
        }
    }

    private void alive(String call) {
        if (lost) {
            throw failure(call + " after the device was lost");
        }
    }

    private DeviceException failure(String where) {
        return lost
                ? new DeviceException(ErrorCode.DEVICE_LOST, device().id() + ": lost at " + where, true, null)
                : new DeviceException(ErrorCode.OUT_OF_MEMORY, device().id() + ": no memory at " + where, false, null);
    }

    /** Counts a handle until its first close. */
    private final class Handle {
        private final AtomicBoolean open = new AtomicBoolean(true);

        Handle() {
            openHandles++;
        }

        void close() {
            if (open.getAndSet(false)) {
                openHandles--;
            }
        }
    }

    @Override
    public WeightSet load(WeightRequest request) {
        strike(Death.Call.LOAD);
        return new Weights(inner().load(request));
    }

    @Override
    public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
        strike(Death.Call.COMPILE);
        return new Program(super.compile(graph, options, weights));
    }

    @Override
    public SequenceState newState(List<StateSpec> slots, StateOptions options) {
        strike(Death.Call.NEW_STATE);
        return new State(inner().newState(slots, options));
    }

    @Override
    public MemoryInfo memory() {
        alive("memory");
        return super.memory();
    }

    private final class Weights extends WrappedWeights {
        private final Handle handle = new Handle();

        Weights(WeightSet inner) {
            super(inner);
        }

        @Override
        public ModelId model() {
            alive("model");
            return super.model();
        }

        @Override
        public long deviceBytes() {
            alive("deviceBytes");
            return super.deviceBytes();
        }

        @Override
        public void close() {
            handle.close();
            super.close();
        }
    }

    private final class Program implements Executable {
        private final Executable inner;
        private final Handle handle = new Handle();

        Program(Executable inner) {
            this.inner = inner;
        }

        @Override
        public Step run(Batch batch) {
            strike(Death.Call.RUN);
            return new Results(inner.run(batch));
        }

        @Override
        public long scratchBytes() {
            alive("scratchBytes");
            return inner.scratchBytes();
        }

        @Override
        public void close() {
            handle.close();
            inner.close();
        }
    }

    private final class Results implements Step {
        private final Step inner;

        Results(Step inner) {
            this.inner = inner;
        }

        @Override
        public Rows output(String name) {
            alive("output");
            return new DyingRows(inner.output(name));
        }

        @Override
        public long elapsedNanos() {
            return inner.elapsedNanos();
        }
    }

    private final class DyingRows extends WrappedRows {
        DyingRows(Rows inner) {
            super(inner, DyingBackend.this);
        }

        @Override
        public void copyTo(int first, int rows, MemorySegment target) {
            strike(Death.Call.COPY);
            super.copyTo(first, rows, target);
        }
    }

    private final class State extends WrappedState {
        private final Handle handle = new Handle();

        State(SequenceState inner) {
            super(inner);
        }

        @Override
        protected SequenceState wrap(SequenceState fork) {
            return new State(fork);
        }

        @Override
        public int committedRows() {
            alive("committedRows");
            return super.committedRows();
        }

        @Override
        public int openRows() {
            alive("openRows");
            return super.openRows();
        }

        @Override
        public void begin(StepKind kind, int[] parents) {
            strike(Death.Call.BEGIN);
            super.begin(kind, parents);
        }

        @Override
        public void commit(int[] path) {
            strike(Death.Call.COMMIT);
            super.commit(path);
        }

        @Override
        public void rollback() {
            alive("rollback");
            super.rollback();
        }

        @Override
        public int truncate(int rows) {
            alive("truncate");
            return super.truncate(rows);
        }

        @Override
        public SequenceState fork() {
            alive("fork");
            return super.fork();
        }

        @Override
        public long exportBytes() {
            alive("exportBytes");
            return super.exportBytes();
        }

        @Override
        public void exportTo(MemorySegment target) {
            alive("exportTo");
            super.exportTo(target);
        }

        @Override
        public void importFrom(MemorySegment source) {
            alive("importFrom");
            super.importFrom(source);
        }

        @Override
        public long bytesPerOpenRow() {
            alive("bytesPerOpenRow");
            return super.bytesPerOpenRow();
        }

        @Override
        public void close() {
            handle.close();
            super.close();
        }
    }
}
