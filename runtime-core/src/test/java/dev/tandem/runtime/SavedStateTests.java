package dev.tandem.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.files.OutputFile;
import dev.tandem.runtime.grammar.Grammar;
import dev.tandem.runtime.grammar.TokenGrammar;
import dev.tandem.runtime.sampling.DryOptions;
import dev.tandem.runtime.sampling.MirostatOptions;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.sampling.XtcOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.backend.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A saved text goes on as if it had never been interrupted, and nothing goes on from a file that does not belong to it. */
final class SavedStateTests {
    private static final int[] PROMPT = {845, 513, 467, 311, 402, 7, 537};
    private static final SamplingOptions GREEDY = SamplingOptions.DEFAULTS;
    private static final SamplingOptions PENALISED = SamplingOptions.builder()
            .temperature(0.9f)
            .repeatPenalty(1.3f)
            .repeatLastN(-1)
            .frequencyPenalty(0.4f)
            .presencePenalty(0.2f)
            .dry(new DryOptions(0.8f, 1.75f, 1, -1, DryOptions.DEFAULT_BREAKERS))
            .xtc(new XtcOptions(0.5f, 0.02f))
            .seed(11)
            .build();
    private static final SamplingOptions MIROSTAT = SamplingOptions.builder()
            .temperature(1f)
            .mirostat(new MirostatOptions(2, 3f, 0.2f))
            .seed(3)
            .build();

    private final Engine engine = Engine.open(EngineOptions.defaults());

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        engine.close();
    }

    private Model model(String name, ModelOptions options) {
        return engine.load(Golden.resource("tiny/" + name + ".gguf"), options);
    }

    private static GenerationRequest request(int[] prompt, int max, SamplingOptions sampling) {
        return new GenerationRequest(prompt, max, sampling, List.of(), true, true, () -> false);
    }

    private static GenerationResult generate(Model model, GenerationRequest request) {
        try (Session session = model.newSession()) {
            return session.generate(request, GenerationListener.NONE);
        }
    }

    private Path saved(Model model, GenerationRequest request) {
        Path file = folder.resolve("saved.state");
        try (Session session = model.newSession()) {
            session.generate(request, GenerationListener.NONE);
            session.save(file);
        }
        return file;
    }

    /** What a fresh session makes of a saved text. */
    private static GenerationResult goOn(Model model, Path file, int max, SamplingOptions sampling) {
        try (Session session = model.newSession()) {
            SavedText text = session.load(file);
            return session.generate(
                    request(text.tokens(), max, sampling).after(text.chosen()), GenerationListener.NONE);
        }
    }

    private static int[] joined(int[] a, int[] b) {
        return IntStream.concat(IntStream.of(a), IntStream.of(b)).toArray();
    }

    @ParameterizedTest
    @CsvSource({
        "qwen3, FAST",
        "qwen3, REFERENCE",
        "gemma3, FAST",
        "gpt-oss, FAST",
        "deepseek2, REFERENCE",
        "qwen3moe, FAST"
    })
    void goesOnWithTheTokensOfAnUninterruptedRunWithAnyThreads(String name, Precision precision) {
        ModelOptions options = ModelOptions.defaults().inPrecision(precision);
        try (Model one = model(name, options.onThreads(1));
                Model other = model(name, options.onThreads(3).inStepsOf(5).withContext(300))) {
            for (SamplingOptions sampling : List.of(GREEDY, PENALISED, MIROSTAT)) {
                int[] whole = generate(one, request(PROMPT, 40, sampling)).ids();
                for (int cut : new int[] {1, 17, 39}) {
                    Path file = saved(one, request(PROMPT, cut, sampling));
                    int[] rest = goOn(other, file, 40 - cut, sampling).ids();
                    String what = "cut after " + cut + " at temperature " + sampling.temperature();
                    assertArrayEquals(Arrays.copyOfRange(whole, cut, 40), rest, what);
                }
            }
        }
    }

    @Test
    void goesOnInAModelWhoseStateIsNotKeysAndValuesAlone() {
        try (Model model = engine.load(Golden.shared("archs/lfm2-dense-q8_0.gguf"), ModelOptions.defaults())) {
            int[] prompt = {5, 9, 2, 77, 31};
            int[] whole = generate(model, request(prompt, 20, PENALISED)).ids();
            Path file = saved(model, request(prompt, 8, PENALISED));
            assertArrayEquals(
                    Arrays.copyOfRange(whole, 8, 20),
                    goOn(model, file, 12, PENALISED).ids());
        }
    }

    @Test
    void onlyTheTokensThatHaveNoStateAreRun() {
        try (Model model = model("qwen3", ModelOptions.defaults());
                Session session = model.newSession()) {
            Path file = saved(model, request(PROMPT, 20, GREEDY));
            SavedText text = session.load(file);
            assertEquals(PROMPT.length + 20, text.tokens().length);
            assertEquals(20, text.chosen());
            assertEquals(PROMPT.length + 19, text.ready());
            int[] longer = joined(text.tokens(), new int[] {3, 4, 5});
            GenerationResult result = session.generate(request(longer, 5, GREEDY), GenerationListener.NONE);
            assertEquals(4, result.timings().promptTokens());
            assertArrayEquals(generate(model, request(longer, 5, GREEDY)).ids(), result.ids());
        }
    }

    @Test
    void aGrammarGoesOnWhereTheTextStands() {
        String list =
                "root ::= \"[\" item (\", \" item){4,30} \"]\"\nitem ::= [0-9]{1,3} | \"\\\"\" [a-z ]{0,9} \"\\\"\"";
        try (Model model = model("qwen3", ModelOptions.defaults())) {
            TokenGrammar grammar = new TokenGrammar(Grammar.parse(list, "test"), model.tokenizer());
            GenerationResult whole =
                    generate(model, request(PROMPT, 300, PENALISED).withGrammar(grammar));
            assertTrue(whole.text().endsWith("]"), whole.text());
            for (int cut : new int[] {1, 9, whole.ids().length - 1}) {
                Path file = saved(model, request(PROMPT, cut, PENALISED).withGrammar(grammar));
                try (Session session = model.newSession()) {
                    SavedText text = session.load(file);
                    GenerationResult rest = session.generate(
                            request(text.tokens(), 300, PENALISED)
                                    .withGrammar(grammar)
                                    .after(text.chosen()),
                            GenerationListener.NONE);
                    assertArrayEquals(Arrays.copyOfRange(whole.ids(), cut, whole.ids().length), rest.ids());
                    assertTrue(whole.text().endsWith(rest.text()), rest.text());
                }
            }
        }
    }

    @Test
    void aTextThatDoesNotObeyTheGrammarDoesNotGoOnWithIt() {
        try (Model model = model("qwen3", ModelOptions.defaults());
                Session session = model.newSession()) {
            SavedText text = session.load(saved(model, request(PROMPT, 5, PENALISED)));
            TokenGrammar digits = new TokenGrammar(Grammar.parse("root ::= [0-9]+", "test"), model.tokenizer());
            GenerationRequest request = request(text.tokens(), 5, GREEDY).withGrammar(digits);
            UsageException refusal = assertThrows(
                    UsageException.class,
                    () -> session.generate(request.after(text.chosen()), GenerationListener.NONE));
            assertTrue(String.valueOf(refusal.getMessage()).contains("does not obey the grammar"));
            // Without the tokens chosen before, the grammar begins anew.
            assertTrue(session.generate(request, GenerationListener.NONE).text().matches("[0-9]+"));
        }
    }

    @Test
    void whatWasShownOfAStopStringIsNotShownAgain() {
        try (Model model = model("qwen3", ModelOptions.defaults())) {
            GenerationResult whole = generate(model, request(PROMPT, 30, PENALISED));
            // A stop string that seems to begin at every place and never comes whole.
            List<String> stops = Stream.of(whole.text().codePoints().toArray())
                    .flatMapToInt(IntStream::of)
                    .distinct()
                    .mapToObj(c -> Character.toString(c) + "\u0001never")
                    .toList();
            for (int cut = 1; cut < 30; cut++) {
                GenerationRequest first = new GenerationRequest(PROMPT, cut, PENALISED, stops, true, true, () -> false);
                try (Session session = model.newSession()) {
                    String begun =
                            session.generate(first, GenerationListener.NONE).text();
                    GenerationRequest rest = new GenerationRequest(
                            joined(PROMPT, Arrays.copyOf(whole.ids(), cut)),
                            30 - cut,
                            PENALISED,
                            stops,
                            true,
                            true,
                            () -> false);
                    String end = session.generate(rest.after(cut), GenerationListener.NONE)
                            .text();
                    // A character whose bytes the cut separates was shown as unfinished.
                    assertEquals(
                            whole.text().replace("\uFFFD", ""),
                            (begun + end).replace("\uFFFD", ""),
                            "cut after " + cut);
                }
            }
        }
    }

    @Test
    void theNoteComesBackAndAnEarlierFileIsReplaced() throws IOException {
        try (Model model = model("qwen3", ModelOptions.defaults());
                Session session = model.newSession()) {
            Path file = Files.writeString(folder.resolve("x"), "earlier");
            assertThrows(UsageException.class, () -> session.save(file), "nothing was run");
            assertEquals("earlier", Files.readString(file));
            session.logits(PROMPT);
            try (OutputFile output = OutputFile.prepare(file)) {
                session.save(output, "né\n");
            }
            assertEquals("né\n", session.load(file).note());
            try (Stream<Path> left = Files.list(folder)) {
                assertEquals(List.of(file), left.toList());
            }
        }
    }

    @Test
    void theFileDependsNeitherOnThreadsNorOnSteps() throws IOException {
        try (Model one = model("qwen3", ModelOptions.defaults().onThreads(1));
                Model other =
                        model("qwen3", ModelOptions.defaults().onThreads(3).inStepsOf(3))) {
            byte[] first = Files.readAllBytes(saved(one, request(PROMPT, 30, PENALISED)));
            assertArrayEquals(first, Files.readAllBytes(saved(other, request(PROMPT, 30, PENALISED))));
        }
    }

    private void assertRefused(Model model, Path file, String... words) {
        try (Session session = model.newSession()) {
            session.logits(PROMPT);
            int[] held = session.tokens();
            UsageException refusal = assertThrows(UsageException.class, () -> session.load(file));
            for (String word : words) {
                assertTrue(String.valueOf(refusal.getMessage()).contains(word), refusal.getMessage());
            }
            assertNotEquals("", refusal.remedy());
            assertArrayEquals(held, session.tokens(), "a refusal changes nothing");
        }
    }

    @ParameterizedTest
    @EnumSource(Precision.class)
    void namesBothPrecisionsWhereTheyDiffer(Precision precision) {
        Precision unlike = precision == Precision.FAST ? Precision.REFERENCE : Precision.FAST;
        try (Model model = model("qwen3", ModelOptions.defaults().inPrecision(precision));
                Model other = model("qwen3", ModelOptions.defaults().inPrecision(unlike))) {
            assertRefused(
                    other,
                    saved(model, request(PROMPT, 3, GREEDY)),
                    "precision fast and f16",
                    "precision reference and f32");
        }
    }

    @Test
    void refusesTheStateOfAnotherModelAndOfAModelThatChangedByOneBit() throws IOException {
        Path copy = Files.copy(Golden.resource("tiny/qwen3.gguf"), folder.resolve("qwen3.gguf"));
        try (Model model = model("qwen3", ModelOptions.defaults());
                Model foreign = model("llama", ModelOptions.defaults())) {
            Path file = saved(model, request(PROMPT, 3, GREEDY));
            assertRefused(foreign, file, "the model qwen3.gguf", "llama.gguf");
            try (Model same = engine.load(copy, ModelOptions.defaults())) {
                assertEquals(PROMPT.length + 3, goOn(same, file, 1, GREEDY).promptIds().length);
            }
            byte[] bytes = Files.readAllBytes(copy);
            bytes[bytes.length - 1000] ^= 1;
            Files.write(copy, bytes);
            try (Model changed = engine.load(copy, ModelOptions.defaults())) {
                assertRefused(changed, file, "another content of qwen3.gguf");
            }
        }
    }

    @Test
    void refusesMoreTokensThanTheContextHolds() {
        try (Model model = model("qwen3", ModelOptions.defaults());
                Model narrow = model("qwen3", ModelOptions.defaults().withContext(20))) {
            Path file = saved(model, request(PROMPT, 30, GREEDY));
            try (Session session = narrow.newSession()) {
                UsageException refusal = assertThrows(UsageException.class, () -> session.load(file));
                assertEquals(ErrorCode.CONTEXT_FULL, refusal.code());
            }
        }
    }
}
