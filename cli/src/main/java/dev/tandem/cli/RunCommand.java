package dev.tandem.cli;

import dev.tandem.runtime.Model;
import dev.tandem.runtime.SavedText;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.files.OutputFile;
import dev.tandem.runtime.grammar.Grammar;
import dev.tandem.runtime.grammar.TokenGrammar;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tandem run}: completes a text. */
@Command(
        name = "run",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Complete a text.",
        description = {
            "%nThe text appears as it is generated; the last line, on standard error, tells the speed. In a pipe or a"
                    + " file only the continuation is written, exactly; see --echo.%n"
        },
        footer = {
            "%nExamples:",
            "  tandem run \"public static int sum(int[] values) {\"",
            "  tandem run -m model.gguf -f prompt.txt -n 200 --temp 0.7 --seed 1"
        })
final class RunCommand implements Callable<Integer> {
    private static final int DEFAULT_MAX_TOKENS = 256;

    private final Context context;

    @Mixin
    PromptArguments prompt = new PromptArguments();

    @Mixin(name = "What to generate:")
    RunLengthArguments length = new RunLengthArguments();

    @Mixin(name = "What form it has:")
    GrammarArguments form = new GrammarArguments();

    @Mixin(name = "How tokens are chosen:")
    SamplingArguments sampling = new SamplingArguments();

    @Mixin(name = "Where the result goes:")
    ResultArguments result = new ResultArguments();

    @Mixin(name = StateArguments.SECTION)
    StateArguments state = new StateArguments();

    @Mixin(name = ModelArguments.SECTION)
    ModelArguments model = new ModelArguments();

    @Mixin(name = DraftArguments.SECTION)
    DraftArguments draft = new DraftArguments();

    @Mixin
    CommonOptions help = new CommonOptions();

    /** When to stop. */
    static final class RunLengthArguments {
        @Mixin
        LengthArguments bounds = new LengthArguments();

        @Option(names = "--ignore-eos", description = "Go on after the model says that it is done.")
        boolean ignoreEnd;
    }

    /** What becomes of the text. */
    static final class ResultArguments {
        @Option(names = "--echo", description = "Write the prompt too. Default: on a terminal only.")
        boolean echo;

        @Option(names = "--no-echo", description = "Do not write the prompt, not even on a terminal.")
        boolean noEcho;

        @Option(names = "--json", description = "Write one JSON object with text, token ids and timings.")
        boolean json;

        @Option(
                names = "--logprobs",
                paramLabel = "N",
                description = "With --json: the log-probability of each chosen token and of the N likeliest beside it,"
                        + " by the model alone, before any sampler.")
        @Nullable
        Integer logProbabilities;

        @Option(
                names = {"-o", "--output"},
                paramLabel = "FILE",
                description = "Write the result to a file instead, which is replaced once the result is complete.")
        @Nullable
        Path output;

        @Option(
                names = {"-v", "--verbose"},
                description = "Tell on standard error what is loaded and where it runs.")
        boolean verbose;
    }

    RunCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Console console = context.console();
        SamplingOptions samplingOptions = checkedSampling();
        SamplingArguments.warnOfIneffective(samplingOptions, console);
        Optional<Grammar> grammar = form.toGrammar(console);
        Optional<String> text = goesOn() ? Optional.empty() : Optional.of(prompt.read(console));
        Wanted wanted = new Wanted(text, samplingOptions, grammar);
        Path path = result.output;
        try (@Nullable OutputFile saved = state.prepare().orElse(null);
                @Nullable OutputFile file = path == null ? null : OutputFile.prepare(path)) {
            return generate(wanted, file, saved);
        }
    }

    /** Whether the text of a saved state goes on; standard input is then read only where it is named. */
    private boolean goesOn() {
        return state.load != null && prompt.isAbsent();
    }

    /**
     * What to generate.
     *
     * @param text the prompt; empty for that of the saved state
     * @param sampling how tokens are chosen
     * @param grammar that the text obeys
     */
    private record Wanted(Optional<String> text, SamplingOptions sampling, Optional<Grammar> grammar) {}

    /** Checks what can be checked without a model, so that a slip does not cost the time to load one. */
    private SamplingOptions checkedSampling() {
        length.bounds.check();
        if (result.echo && result.noEcho) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--echo and --no-echo exclude each other", "Give one of the two.");
        }
        if (result.echo && result.json) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "--echo puts the prompt before the text, but --json keeps the two apart",
                    "Leave one of the two out.");
        }
        Integer likeliest = result.logProbabilities;
        if (likeliest != null && likeliest < 0) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "--logprobs " + likeliest + " is not 0 or more");
        }
        if (likeliest != null && !result.json) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--logprobs goes into JSON, but --json is not given", "Add --json.");
        }
        draft.toOptions();
        return sampling.toOptions();
    }

    private int generate(Wanted wanted, @Nullable OutputFile file, @Nullable OutputFile saved) {
        Console console = context.console();
        try (LoadedModel engine = LoadedModel.open(context, model);
                Drafting drafting = Drafting.open(context, engine, draft, model.choice);
                Session session = drafting.newSession()) {
            Model opened = engine.model();
            wanted.sampling().checkVocabulary(opened.tokenizer().vocabularySize());
            Optional<SavedText> loaded = state.load(session, console);
            GenerationRequest request = request(wanted, opened, loaded);
            String text = wanted.text().orElse("");
            if (result.verbose) {
                engine.explain(console);
            }
            boolean streams = !result.json && file == null;
            ChosenLogProbabilities chosen = result.logProbabilities == null
                    ? null
                    : new ChosenLogProbabilities(opened.tokenizer(), result.logProbabilities);
            GenerationResult generated;
            try (StreamedText stream =
                    new StreamedText(console, streams, echoed(text), request.prompt().length, chosen)) {
                generated = session.generate(request, stream);
            }
            if (!streams) {
                write(result.json ? RunReport.json(engine, generated, chosen) : written(text) + generated.text(), file);
            }
            if (saved != null) {
                session.save(saved, "");
            }
            if (draft.statistics) {
                int columns = console.terminal().errColumns();
                generated.draft().ifPresent(did -> console.err(DraftReport.table(did, columns)));
            }
            console.say(RunReport.summary(engine, generated));
            return generated.stopReason() == StopReason.CANCELLED
                    ? ExitCode.INTERRUPTED.number()
                    : ExitCode.OK.number();
        }
    }

    private GenerationRequest request(Wanted wanted, Model opened, Optional<SavedText> loaded) {
        GenerationRequest free;
        if (wanted.text().isPresent()) {
            free = request(prompt.encode(wanted.text().get(), opened.tokenizer()), wanted.sampling());
        } else {
            SavedText text = loaded.orElseThrow();
            free = request(text.tokens(), wanted.sampling()).after(text.chosen());
        }
        return wanted.grammar()
                .map(given -> new TokenGrammar(given, opened.tokenizer()))
                .map(free::withGrammar)
                .orElse(free);
    }

    private GenerationRequest request(int[] ids, SamplingOptions samplingOptions) {
        return new GenerationRequest(
                ids,
                length.bounds.maxTokens(DEFAULT_MAX_TOKENS),
                samplingOptions,
                length.bounds.stops,
                length.ignoreEnd,
                false,
                context.interruption()::isRequested);
    }

    /** What goes to standard output before the continuation: the prompt, dimmed where the terminal can. */
    private String echoed(String text) {
        Terminal terminal = context.console().terminal();
        if (result.noEcho || !result.echo && !terminal.stdout()) {
            return "";
        }
        return terminal.colorsOut() ? "\033[2m" + Text.printable(text) + "\033[22m" : text;
    }

    /** What goes to a file before the continuation. */
    private String written(String text) {
        return result.echo ? text : "";
    }

    private void write(String text, @Nullable OutputFile file) {
        if (file == null) {
            context.console().out(text);
            return;
        }
        try {
            file.write(text);
        } catch (UsageException e) {
            context.console().out(text);
            throw new UsageException(
                    e.code(), e.getMessage() + "; the result went to standard output instead", e.remedy(), e);
        }
    }
}
