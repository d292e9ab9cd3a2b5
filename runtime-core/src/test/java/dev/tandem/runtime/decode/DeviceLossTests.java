package dev.tandem.runtime.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.runtime.Golden;
import dev.tandem.runtime.ModelRunner;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.backend.Precision;
import dev.tandem.testkit.wrap.Death;
import dev.tandem.testkit.wrap.Death.Call;
import dev.tandem.testkit.wrap.DyingBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A device that fails in the middle of a generation (D14): the tokens stay the same. */
final class DeviceLossTests {
    private static final int[] PROMPT =
            IntStream.range(0, 150).map(i -> i * 7 % 1000).toArray();
    private static final SamplingOptions WARM = SamplingOptions.builder()
            .temperature(0.8f)
            .repeatPenalty(1.1f)
            .seed(3)
            .build();

    private final ModelRunner sound = runner();
    private final Tokenizer tokenizer = Tokenizers.from(sound.file());
    private final int[] expected =
            generate(new Source(sound, null), new Heard(), () -> false).ids();

    private static ModelRunner runner() {
        return new ModelRunner(Golden.resource("tiny/qwen3.gguf"), Precision.FAST, new ScalarKernels(), 1);
    }

    @AfterEach
    void close() {
        sound.close();
    }

    /** A target, and the one that replaces it. */
    private static final class Source implements TargetSource {
        private final ModelRunner replacement;
        private Target current;
        private int losses;

        Source(ModelRunner replacement, @Nullable ModelRunner first) {
            this.replacement = replacement;
            this.current = first == null ? replacement.target() : first.target();
        }

        @Override
        public Target current() {
            return current;
        }

        @Override
        public Target afterLoss(Target lost, DeviceException cause) {
            losses++;
            if (lost.equals(replacement.target())) {
                throw cause;
            }
            current = replacement.target();
            return current;
        }
    }

    /** What a listener heard. */
    private static final class Heard implements GenerationListener {
        private final List<String> notices = new ArrayList<>();
        private final List<Integer> restored = new ArrayList<>();

        @Override
        public void onNotice(String notice) {
            notices.add(notice);
        }

        @Override
        public void onRestore(int done, int total) {
            restored.add(done);
        }
    }

    private GenerationResult generate(Source source, Heard heard, BooleanSupplier cancelled) {
        try (LiveSequence sequence = new LiveSequence(source)) {
            GenerationRequest request = new GenerationRequest(PROMPT, 24, WARM, List.of(), true, true, cancelled);
            return new TokenLoop(tokenizer, sequence, request, heard).run();
        }
    }

    private static ModelRunner dying(Death death, DyingBackend[] made) {
        return new ModelRunner(Golden.resource("tiny/qwen3.gguf"), Precision.FAST, new ScalarKernels(), 1, inner -> {
            DyingBackend backend = new DyingBackend(inner, death);
            made[0] = backend;
            return backend;
        });
    }

    @ParameterizedTest
    @CsvSource({
        "BEGIN,1",
        "BEGIN,9",
        "RUN,1",
        "RUN,2",
        "RUN,17",
        "COMMIT,1",
        "COMMIT,2",
        "COMMIT,12",
        "COPY,1",
        "COPY,7"
    })
    void theStreamGoesOnWithTheSameTokensAndOneNotice(Call call, int number) {
        DyingBackend[] backend = new DyingBackend[1];
        Heard heard = new Heard();
        try (ModelRunner runner = dying(Death.losing(call, number), backend)) {
            Source source = new Source(sound, runner);
            assertArrayEquals(expected, generate(source, heard, () -> false).ids());
            assertTrue(backend[0].lost());
            assertEquals(1, source.losses);
            assertEquals(1, heard.notices.size(), heard.notices.toString());
        }
        assertEquals(0, backend[0].openHandles(), "nothing leaks");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aPromptThatFindsNoMemoryIsRunInSmallerSteps(int number) {
        DyingBackend[] backend = new DyingBackend[1];
        Heard heard = new Heard();
        try (ModelRunner runner = dying(Death.failing(Call.RUN, number), backend)) {
            Source source = new Source(sound, runner);
            assertArrayEquals(expected, generate(source, heard, () -> false).ids());
            assertEquals(0, source.losses);
            assertTrue(heard.notices.isEmpty());
        }
        assertEquals(0, backend[0].openHandles());
    }

    @Test
    void stoppingWhileStateIsRebuiltEndsTheGeneration() {
        DyingBackend[] backend = new DyingBackend[1];
        Heard heard = new Heard();
        try (ModelRunner runner = dying(Death.losing(Call.RUN, 10), backend)) {
            GenerationResult result = generate(new Source(sound, runner), heard, () -> !heard.restored.isEmpty());
            assertEquals(StopReason.CANCELLED, result.stopReason());
            assertArrayEquals(IntStream.of(expected).limit(result.ids().length).toArray(), result.ids());
        }
    }

    @Test
    void withoutAReplacementTheDevicesErrorIsThrown() {
        DyingBackend[] backend = new DyingBackend[1];
        try (ModelRunner runner = dying(Death.losing(Call.RUN, 5), backend)) {
            Source source = new Source(runner, null);
            DeviceException failure =
                    assertThrows(DeviceException.class, () -> generate(source, new Heard(), () -> false));
            assertTrue(failure.lost());
        }
        assertEquals(0, backend[0].openHandles());
    }
}
