package dev.tandem.drafts.ngram;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.EngineOptions;
import dev.tandem.runtime.Model;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.speculative.DraftOptions;
import dev.tandem.runtime.speculative.DraftSelector;
import dev.tandem.runtime.speculative.LoadedDraft;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.testkit.draft.DraftContract;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The contract of all strategies, on a small model; the engine finds this one through the services file. */
@TestInstance(Lifecycle.PER_CLASS)
final class NgramContractTests extends DraftContract {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final Engine engine = Engine.open(EngineOptions.defaults());
    private final Model model = engine.load(file(), ModelOptions.defaults());

    private static Path file() {
        try {
            return Path.of(Objects.requireNonNull(NgramContractTests.class.getResource("/llama-tied.gguf"))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterAll
    void close() {
        model.close();
        engine.close();
    }

    @Override
    protected DraftProvider provider() {
        return new NgramProvider();
    }

    @Override
    protected DraftQuery query() {
        return model.draftQuery(List.of());
    }

    /** A prompt that repeats itself, which a greedy model tends to go on with. */
    private static GenerationRequest request() {
        int[] prompt = new int[60];
        for (int i = 0; i < prompt.length; i++) {
            prompt[i] = 100 + i % 6;
        }
        return GenerationRequest.greedy(prompt, 80);
    }

    private GenerationResult run(Optional<DraftProvider> drafter, Shape shape) {
        if (drafter.isEmpty()) {
            try (Session session = model.newSession()) {
                return session.generate(request(), GenerationListener.NONE);
            }
        }
        DraftSelector selector = new DraftSelector(engine.plugins().drafts(), LONG);
        try (LoadedDraft draft = model.openDraft(selector.select(drafter.get().id(), query()));
                Session session = model.newSession(draft, new DraftOptions(8, 16, shape, false, LONG))) {
            return session.generate(request(), GenerationListener.NONE);
        }
    }

    @Override
    protected int[] generate(Optional<DraftProvider> drafter, Shape shape) {
        return run(drafter, shape).ids();
    }

    @Test
    void repetitiveTextTakesFewerPasses() {
        GenerationResult plain = run(Optional.empty(), Shape.CHAIN);
        for (Shape shape : Shape.values()) {
            GenerationResult drafted = run(Optional.of(provider()), shape);
            assertArrayEquals(plain.ids(), drafted.ids());
            DraftStatistics did = drafted.draft().orElseThrow();
            assertTrue(did.parked().isEmpty(), () -> did.toString());
            assertTrue(did.accepted() > 0 && did.passes() < plain.ids().length - 1, did.toString());
        }
    }
}
