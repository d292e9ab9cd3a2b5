package dev.tandem.runtime.speculative;

import dev.tandem.backend.cpu.CpuBackend;
import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.placement.Site;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.draft.DraftHost.Compiled;
import dev.tandem.spi.draft.DraftHost.Run;
import dev.tandem.spi.draft.DraftHost.State;
import dev.tandem.spi.draft.DraftPlan.Cost;
import dev.tandem.spi.draft.DraftPlan.Cost.Growth;
import dev.tandem.spi.draft.DraftPlan.Fits;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelView;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/** A model at a place, with the engine's side for a strategy that uses its embedding and head. */
final class Hosted implements AutoCloseable {
    static final String RESULT = "result";
    static final int STEP_ROWS = 8;
    static final int[] TOKENS = {3, 0, 22, 7, 3};

    final LanguageModel language;
    final Site site;
    final ReentrantLock lane = new ReentrantLock();
    final EngineHost host;

    Hosted(ModelView file, Backend chosen, Backend reference) {
        this(file, chosen, reference, plan(true, true));
    }

    Hosted(ModelView file, Backend chosen, Backend reference, Fits plan) {
        language = Architectures.read(file);
        GraphOptions options = new GraphOptions(DType.F16, List.of());
        site = Site.load(language.forward(options), file, chosen, reference, Precision.FAST, bytes -> {});
        host = new EngineHost(plan, language, site, lane);
    }

    static Fits plan(boolean usesEmbedding, boolean usesHead) {
        Cost cost = new Cost(0, 0, Growth.PER_BLOCK);
        return new Fits("test", List.of(), usesEmbedding, usesHead, Shape.CHAIN, 4, cost, List.of());
    }

    /** A CPU with a name of its own. */
    static CpuBackend cpu(String id, Kernels kernels) {
        return new CpuBackend(new DeviceInfo(id, "test", DeviceInfo.Kind.CPU, -1, -1, "test"), kernels, 1);
    }

    /** The result of a graph for {@link #TOKENS}, as bits. */
    int[] bits(Compiled graph) {
        try (State state = host.newState(List.of(), 32, STEP_ROWS)) {
            state.begin(StepKind.PREFILL, IntStream.range(-1, TOKENS.length - 1).toArray());
            return bits(graph.run(run(state)));
        }
    }

    static Run run(State state) {
        int[] all = IntStream.range(0, TOKENS.length).toArray();
        return new Run(state, TOKENS, all, all, Map.of(), Set.of(RESULT));
    }

    static int[] bits(Step step) {
        return bits(step.output(RESULT), 0, TOKENS.length);
    }

    /** Rows as bits. */
    static int[] bits(Rows rows, int first, int count) {
        MemorySegment copy = MemorySegment.ofArray(new int[count * rows.type().columns()]);
        rows.copyTo(first, count, copy);
        return copy.toArray(ValueLayout.JAVA_INT);
    }

    @Override
    public void close() {
        host.close();
        site.close();
    }
}
