package dev.tandem.runtime.speculative;

import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.placement.Site;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/**
 * The engine as one strategy sees it. A strategy's graph runs whole on its target's backend where that computes every
 * node, else whole on the reference; results are copied to the host before anybody else runs a step. Everything that was
 * made for the strategy is closed with this host, whether or not the strategy closed it. Safe for use by several
 * threads.
 */
public final class EngineHost implements DraftHost, AutoCloseable {
    private final DraftPlan.Fits plan;
    private final LanguageModel target;
    private final Site site;
    private final Lock lane;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Set<Backend> backends = new LinkedHashSet<>();
    private final Map<String, Backend> slots = new HashMap<>();
    private boolean closed;

    /**
     * A host.
     *
     * @param plan what the strategy said that it uses
     * @param target lends its embedding and head
     * @param site where its graphs run
     * @param lane held while backends are called
     */
    public EngineHost(DraftPlan.Fits plan, LanguageModel target, Site site, Lock lane) {
        this.plan = plan;
        this.target = target;
        this.site = site;
        this.lane = lane;
    }

    private <T> T exclusively(Supplier<T> work) {
        return DraftThread.inEngine(() -> {
            lane.lock();
            try {
                if (closed) {
                    throw new IllegalStateException("the strategy was closed");
                }
                return work.get();
            } finally {
                lane.unlock();
            }
        });
    }

    private void exclusively(Runnable work) {
        exclusively(() -> {
            work.run();
            return true;
        });
    }

    @Override
    public Value embed(Graph.Builder graph) {
        requirePlanned(plan.usesEmbedding(), "embedding");
        return target.embed(graph);
    }

    @Override
    public Value logits(Graph.Builder graph, Value hidden) {
        requirePlanned(plan.usesHead(), "output head");
        return target.logits(graph, hidden);
    }

    private static void requirePlanned(boolean planned, String part) {
        if (!planned) {
            throw new IllegalStateException("the plan does not use the target's " + part);
        }
    }

    @Override
    public Compiled compile(Graph graph, List<ModelView> models, int maxStepRows) {
        return exclusively(() -> {
            Backend backend = site.backendFor(graph);
            for (StateSpec state : graph.states()) {
                Backend known = slots.putIfAbsent(state.slot(), backend);
                if (known != null && !known.equals(backend)) {
                    throw new IllegalArgumentException("slot " + state.slot() + " is on "
                            + known.device().id() + ", but graph " + graph.name() + " runs on "
                            + backend.device().id());
                }
            }
            Site.Loaded loaded = site.load(graph, backend, models, maxStepRows);
            backends.add(backend);
            opened.add(loaded);
            return new Running(loaded);
        });
    }

    @Override
    public State newState(List<StateSpec> specs, int maxRows, int maxStepRows) {
        return exclusively(() -> {
            Map<Backend, List<StateSpec>> perBackend = new LinkedHashMap<>();
            // A graph without slots runs over the rows of a state too.
            backends.forEach(backend -> perBackend.put(backend, new ArrayList<>()));
            for (StateSpec spec : specs) {
                Backend backend = slots.get(spec.slot());
                if (backend == null) {
                    throw new IllegalArgumentException("no compiled graph has slot " + spec.slot());
                }
                perBackend.computeIfAbsent(backend, b -> new ArrayList<>()).add(spec);
            }
            Memory memory = new Memory(Sequence.create(perBackend, new StateOptions(maxRows, maxStepRows)));
            opened.add(memory);
            return memory;
        });
    }

    /** Closes what the strategy left open; calls that it makes afterwards fail. May be called twice. */
    @Override
    public void close() {
        lane.lock();
        try {
            closed = true;
            // A state takes itself off the list.
            for (AutoCloseable open : List.copyOf(opened).reversed()) {
                closeQuietly(open);
            }
            opened.clear();
        } finally {
            lane.unlock();
        }
    }

    private static void closeQuietly(AutoCloseable open) {
        try {
            open.close();
        } catch (Exception e) {
            throw new IllegalStateException(e); // neither graphs nor states throw
        }
    }

    private void forget(AutoCloseable open) {
        lane.lock();
        try {
            opened.remove(open);
            closeQuietly(open);
        } finally {
            lane.unlock();
        }
    }

    private void requireOpen(AutoCloseable handle, String what) {
        if (!opened.contains(handle)) {
            throw new IllegalStateException("the " + what + " was closed, or is another strategy's");
        }
    }

    /** A graph in use. */
    private final class Running implements Compiled {
        private final Site.Loaded loaded;

        private Running(Site.Loaded loaded) {
            this.loaded = loaded;
        }

        @Override
        public Step run(Run run) {
            return exclusively(() -> {
                Memory memory = (Memory) run.state();
                requireOpen(loaded, "graph");
                requireOpen(memory, "state");
                PlacedGraph.Result result = loaded.graph()
                        .run(new PlacedGraph.Request(
                                List.of(memory.sequence),
                                run.tokens(),
                                run.positions(),
                                run.selected(),
                                run.inputs(),
                                run.outputs()));
                Map<String, Rows> copies = new HashMap<>();
                result.rows().forEach((name, rows) -> copies.put(name, PlacedGraph.Result.onHost(rows)));
                return new Finished(copies, result.elapsedNanos());
            });
        }

        @Override
        public void close() {
            forget(loaded);
        }
    }

    /** Results on the host. */
    private record Finished(Map<String, Rows> rows, long elapsedNanos) implements Step {
        @Override
        public Rows output(String name) {
            Rows output = rows.get(name);
            if (output == null) {
                throw new IllegalArgumentException("output " + name + " was not asked for; there are " + rows.keySet());
            }
            return output;
        }
    }

    /** State in use. */
    private final class Memory implements State {
        private final Sequence sequence;

        private Memory(Sequence sequence) {
            this.sequence = sequence;
        }

        private Sequence open() {
            requireOpen(this, "state");
            return sequence;
        }

        @Override
        public void begin(StepKind kind, int[] parents) {
            exclusively(() -> open().begin(kind, parents));
        }

        @Override
        public void commit(int[] path) {
            exclusively(() -> open().commit(path));
        }

        @Override
        public void rollback() {
            exclusively(() -> open().rollback());
        }

        @Override
        public int truncate(int rows) {
            return exclusively(() -> open().truncate(rows));
        }

        @Override
        public void close() {
            lane.lock();
            try {
                opened.remove(this);
                sequence.close();
            } finally {
                lane.unlock();
            }
        }
    }
}
