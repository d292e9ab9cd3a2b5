package dev.tandem.cli;

import dev.tandem.runtime.Model;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.grammar.Grammar;
import dev.tandem.runtime.grammar.TokenGrammar;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    private final Context context;

    @Mixin
    PromptArguments prompt = new PromptArguments();

    @Mixin(name = "What to generate:")
    LengthArguments length = new LengthArguments();

    @Mixin(name = "What form it has:")
    GrammarArguments form = new GrammarArguments();

    @Mixin(name = "How tokens are chosen:")
    SamplingArguments sampling = new SamplingArguments();

    @Mixin(name = "Where the result goes:")
    ResultArguments result = new ResultArguments();

    @Mixin(name = ModelArguments.SECTION)
    ModelArguments model = new ModelArguments();

    @Mixin(name = DraftArguments.SECTION)
    DraftArguments draft = new DraftArguments();

    @Mixin
    HelpOption help = new HelpOption();

    /** When to stop. */
    static final class LengthArguments {
        @Option(
                names = {"-n", "--max-tokens"},
                paramLabel = "N",
                description =
                        "Most tokens to generate; -1 for as many as the context holds. Default: ${DEFAULT-VALUE}.")
        int maxTokens = 256;

        @Option(
                names = "--stop",
                paramLabel = "TEXT",
                description = "End before this text, taken as it is. May be given several times.")
        List<String> stops = new ArrayList<>();

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
        Optional<Grammar> grammar = form.toGrammar(console);
        String text = prompt.read(console);
        Path path = result.output;
        if (path == null) {
            return generate(text, samplingOptions, grammar, null);
        }
        try (OutputFile file = OutputFile.prepare(path)) {
            return generate(text, samplingOptions, grammar, file);
        }
    }

    /** Checks what can be checked without a model, so that a slip does not cost the time to load one. */
    private SamplingOptions checkedSampling() {
        if (length.maxTokens < -1) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "--max-tokens " + length.maxTokens + " is not -1 or more");
        }
        if (result.echo && result.noEcho) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--echo and --no-echo exclude each other", "Give one of the two.");
        }
        if (length.stops.contains("")) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--stop is empty", "Give at least one character, or leave --stop out.");
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

    private int generate(
            String text, SamplingOptions samplingOptions, Optional<Grammar> grammar, @Nullable OutputFile file) {
        Console console = context.console();
        try (LoadedModel loaded = LoadedModel.open(context, model);
                Drafting drafting = Drafting.open(context, loaded, draft, model.model == null);
                Session session = drafting.newSession()) {
            Model opened = loaded.model();
            samplingOptions.checkVocabulary(opened.tokenizer().vocabularySize());
            int[] ids = prompt.encode(text, opened.tokenizer());
            GenerationRequest free = request(ids, samplingOptions);
            GenerationRequest request = grammar.map(given -> new TokenGrammar(given, opened.tokenizer()))
                    .map(free::withGrammar)
                    .orElse(free);
            if (result.verbose) {
                loaded.explain(console);
            }
            boolean streams = !result.json && file == null;
            ChosenLogProbabilities chosen = result.logProbabilities == null
                    ? null
                    : new ChosenLogProbabilities(opened.tokenizer(), result.logProbabilities);
            GenerationResult generated;
            try (StreamedText stream = new StreamedText(console, streams, echoed(text), ids.length, chosen)) {
                generated = session.generate(request, stream);
            }
            if (!streams) {
                write(result.json ? RunReport.json(loaded, generated, chosen) : written(text) + generated.text(), file);
            }
            if (draft.statistics) {
                int columns = console.terminal().errColumns();
                generated.draft().ifPresent(did -> console.err(DraftReport.table(did, columns)));
            }
            console.say(RunReport.summary(loaded, generated));
            return generated.stopReason() == StopReason.CANCELLED
                    ? ExitCode.INTERRUPTED.number()
                    : ExitCode.OK.number();
        }
    }

    private GenerationRequest request(int[] ids, SamplingOptions samplingOptions) {
        return new GenerationRequest(
                ids,
                length.maxTokens,
                samplingOptions,
                length.stops,
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
