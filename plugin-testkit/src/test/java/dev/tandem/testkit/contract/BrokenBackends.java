package dev.tandem.testkit.contract;

import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.LameBackend;
import dev.tandem.testkit.wrap.WrappedExecutable;
import dev.tandem.testkit.wrap.WrappedState;
import dev.tandem.testkit.wrap.WrappedWeights;
import dev.tandem.testkit.wrap.WrappingBackend;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Backends that are sound but for one rule. */
final class BrokenBackends {
    private BrokenBackends() {}

    static BackendProvider throwingProbe() {
        BackendProvider sound = new OracleProvider();
        return new BackendProvider() {
            private int probes;

            @Override
            public String id() {
                return sound.id();
            }

            @Override
            public Availability probe() {
                if (probes++ > 0) {
                    throw new IllegalStateException("the driver is open already");
                }
                return sound.probe();
            }

            @Override
            public Backend open(DeviceInfo device, OpenOptions options) {
                return sound.open(device, options);
            }
        };
    }

    /** Refuses an op once weights are loaded. */
    static Backend changesItsMind() {
        Set<String> loaded = new HashSet<>();
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public Support supports(Node node, Precision precision) {
                boolean refused = node.op() instanceof Op.SoftCap && !loaded.isEmpty();
                return refused ? new Support.No("no room any more") : super.supports(node, precision);
            }

            @Override
            public WeightSet load(WeightRequest request) {
                loaded.add(request.model().id().file());
                return super.load(request);
            }
        };
    }

    /** Says yes to an op that it does not compile. */
    static Backend lyingSupport() {
        return new WrappingBackend(LameBackend.withoutOp(OracleProvider.open(), Op.SoftCap.class)) {
            @Override
            public Support supports(Node node, Precision precision) {
                return new Support.Yes();
            }
        };
    }

    static Backend silentRefusal() {
        return new LameBackend(
                OracleProvider.open(), node -> node.op() instanceof Op.SoftCap ? Optional.of("") : Optional.empty());
    }

    /** Refuses an op and computes it all the same. */
    static Backend falseModesty() {
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public Support supports(Node node, Precision precision) {
                return node.op() instanceof Op.SoftCap ? new Support.No("no kernel") : super.supports(node, precision);
            }
        };
    }

    /** Changes every f32 output of a run. */
    private static Backend changing(Function<Batch, Function<Float, Float>> change) {
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
                Executable inner = super.compile(graph, options, weights);
                return new WrappedExecutable(inner) {
                    @Override
                    public Step run(Batch batch) {
                        Step step = inner.run(batch);
                        return new ChangedStep(step, change.apply(batch));
                    }
                };
            }
        };
    }

    private record ChangedStep(Step step, Function<Float, Float> change) implements Step {
        @Override
        public Rows output(String name) {
            Rows rows = step.output(name);
            if (rows.type().type() != DType.F32) {
                return rows;
            }
            float[] values = new float[rows.count() * rows.type().columns()];
            rows.copyTo(0, rows.count(), MemorySegment.ofArray(values));
            for (int i = 0; i < values.length; i++) {
                values[i] = change.apply(values[i]);
            }
            return new Rows.Host(rows.type(), rows.count(), MemorySegment.ofArray(values));
        }

        @Override
        public long elapsedNanos() {
            return step.elapsedNanos();
        }
    }

    static Backend inaccurate() {
        return changing(batch -> x -> x * 1.0001f);
    }

    /** The last bit of a row depends on how many rows there are. */
    static Backend anotherKernelForManyRows() {
        return changing(batch -> batch.rows() > 32 ? Math::nextUp : x -> x);
    }

    /** The last bit of a row depends on whose rows stand beside it. */
    static Backend anotherKernelForManySequences() {
        return changing(batch -> batch.slices().size() > 1 ? Math::nextUp : x -> x);
    }

    /** The last bit of a row depends on how many rows are read. */
    static Backend anotherKernelForFewSelected() {
        return changing(batch -> batch.selected().length < batch.rows() ? Math::nextUp : x -> x);
    }

    /** Keeps the rows of a chain when they are run instead of when they are committed. */
    static Backend commitsOnRun() {
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
                Executable inner = super.compile(graph, options, weights);
                return new WrappedExecutable(inner) {
                    @Override
                    public Step run(Batch batch) {
                        Step step = inner.run(batch);
                        batch.slices().forEach(slice -> ((EagerState) slice.state()).keep());
                        return step;
                    }
                };
            }

            @Override
            public SequenceState newState(List<StateSpec> slots, StateOptions options) {
                return new EagerState(inner().newState(slots, options));
            }
        };
    }

    private static final class EagerState extends WrappedState {
        private boolean kept;

        EagerState(SequenceState inner) {
            super(inner);
        }

        void keep() {
            kept = true;
        }

        @Override
        protected SequenceState wrap(SequenceState fork) {
            return new EagerState(fork);
        }

        @Override
        public void rollback() {
            if (kept && inner().openRows() > 0) {
                inner().commit(new int[] {0});
            }
            kept = false;
        }

        @Override
        public void commit(int[] path) {
            super.commit(path);
            kept = false;
        }
    }

    /** Finds weights by the tensor's name alone. */
    static Backend mixesModels() {
        Map<String, WeightRequest> byTensor = new HashMap<>();
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public WeightSet load(WeightRequest request) {
                request.model().tensors().forEach(t -> byTensor.putIfAbsent(t.name(), request));
                return super.load(new WeightRequest(
                        new MixedView(request.model(), byTensor), request.graphs(), request.precision(), b -> {}));
            }
        };
    }

    static Backend throwsAtTheSecondClose() {
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public WeightSet load(WeightRequest request) {
                Set<String> closed = new HashSet<>();
                return new WrappedWeights(inner().load(request)) {
                    @Override
                    public void close() {
                        if (!closed.add("once")) {
                            throw new IllegalStateException("closed already");
                        }
                        super.close();
                    }
                };
            }
        };
    }

    /** Answers whatever output the graph has. */
    static Backend answersEverything() {
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
                Executable inner = super.compile(graph, options, weights);
                return new WrappedExecutable(inner) {
                    @Override
                    public Step run(Batch batch) {
                        return inner.run(new Batch(
                                batch.tokens(),
                                batch.positions(),
                                batch.slices(),
                                batch.selected(),
                                batch.inputs(),
                                graph.outputs().keySet()));
                    }
                };
            }
        };
    }
}
