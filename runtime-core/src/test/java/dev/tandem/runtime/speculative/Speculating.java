package dev.tandem.runtime.speculative;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.EngineOptions;
import dev.tandem.runtime.Golden;
import dev.tandem.runtime.Model;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.runtime.plugin.PluginOrigin;
import dev.tandem.runtime.plugin.PluginSource;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** A small model that generates with a strategy and without. */
final class Speculating implements AutoCloseable {
    static final int[] PROMPT = {845, 513, 467, 311, 402, 7, 537};
    static final SamplingOptions GREEDY = SamplingOptions.DEFAULTS;
    static final SamplingOptions WARM = SamplingOptions.builder()
            .temperature(0.8f)
            .topK(0)
            .topP(0.95f)
            .repeatPenalty(1.2f)
            .frequencyPenalty(0.3f)
            .presencePenalty(0.2f)
            .seed(7)
            .build();
    /** Long enough that no machine misses it. */
    static final DraftOptions OPTIONS = new DraftOptions(5, 12, Shape.TREE, false, Duration.ofMinutes(10));

    private final Engine engine = Engine.open(EngineOptions.defaults());
    final Model model;

    Speculating(String name) {
        this(name, ModelOptions.defaults());
    }

    Speculating(String name, ModelOptions options) {
        this(Golden.resource("tiny/" + name + ".gguf"), options);
    }

    Speculating(Path file, ModelOptions options) {
        this.model = engine.load(file, options);
    }

    int vocabulary() {
        return model.language().shape().vocabulary();
    }

    static GenerationRequest request(int max, SamplingOptions sampling, String... stops) {
        return new GenerationRequest(PROMPT, max, sampling, List.of(stops), true, true, () -> false);
    }

    static SortedMap<String, LoadedProvider<DraftProvider>> installed(DraftProvider... providers) {
        SortedMap<String, LoadedProvider<DraftProvider>> installed = new TreeMap<>();
        for (DraftProvider provider : providers) {
            PluginOrigin origin = new PluginOrigin(
                    PluginSource.APPLICATION, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
            installed.put(provider.id(), new LoadedProvider<>(provider.id(), provider, origin));
        }
        return installed;
    }

    LoadedDraft open(DraftProvider provider) {
        DraftSelector selector = new DraftSelector(installed(provider), Duration.ofMinutes(10));
        return model.openDraft(selector.select(provider.id(), model.draftQuery(List.of())));
    }

    GenerationResult plain(GenerationRequest request) {
        try (Session session = model.newSession()) {
            return session.generate(request, GenerationListener.NONE);
        }
    }

    /** The prompt and what plain decoding makes of it. */
    int[] run(GenerationRequest request) {
        return IntStream.concat(
                        IntStream.of(request.prompt()),
                        IntStream.of(plain(request).ids()))
                .toArray();
    }

    GenerationResult drafted(DraftProvider provider, DraftOptions options, GenerationRequest request) {
        return drafted(provider, options, request, GenerationListener.NONE);
    }

    GenerationResult drafted(
            DraftProvider provider, DraftOptions options, GenerationRequest request, GenerationListener listener) {
        try (LoadedDraft draft = open(provider);
                Session session = model.newSession(draft, options)) {
            return session.generate(request, listener);
        }
    }

    /** Generates both ways, requires everything but the time to be equal, and answers what the strategy did. */
    DraftStatistics same(DraftProvider provider, DraftOptions options, GenerationRequest request, String what) {
        GenerationResult plain;
        int[] held;
        try (Session session = model.newSession()) {
            plain = session.generate(request, GenerationListener.NONE);
            held = session.tokens();
        }
        try (LoadedDraft draft = open(provider);
                Session session = model.newSession(draft, options)) {
            GenerationResult result = session.generate(request, GenerationListener.NONE);
            assertArrayEquals(plain.ids(), result.ids(), what);
            assertEquals(plain.text(), result.text(), what);
            assertEquals(plain.stopReason(), result.stopReason(), what);
            assertArrayEquals(held, session.tokens(), what + ": tokens that the sequence holds");
            DraftStatistics statistics = result.draft().orElseThrow();
            assertEquals(statistics.passes() + statistics.accepted(), statistics.tokens(), what);
            assertEquals(
                    statistics.accepted(),
                    statistics.depths().stream()
                            .mapToInt(DraftStatistics.Depth::accepted)
                            .sum(),
                    what);
            assertEquals(Math.max(0, plain.ids().length - 1), statistics.tokens(), what);
            return statistics;
        }
    }

    @Override
    public void close() {
        model.close();
        engine.close();
    }
}
